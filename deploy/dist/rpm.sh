#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A package for Fedora, RHEL and their kin, by rpmbuild: rpm.sh STAGE VERSION MACHINE OUT
set -eu
stage=$1 version=$2 machine=$3 out=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
sh "$(dirname "$0")/tree.sh" "$stage" "$work/tree" usr/share/zsh/site-functions
install -Dm644 "$stage/LICENSE" "$work/tree/usr/share/licenses/pyperf-bpf/LICENSE"
find "$work/tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
cat >"$work/pyperf-bpf.spec" <<END
%define debug_package %{nil}
%define __os_install_post %{nil}
Name: pyperf-bpf
Version: $version
Release: 1
Summary: eBPF profiler for CPython
License: GPL-2.0-only
Recommends: libcurl
%description
Shows which Python lines burn the CPUs of a machine, and where they wait, from inside the kernel, without
touching the programs. It needs Linux 6.1 or later.
%install
cp -a $work/tree/. %{buildroot}/
%files
%defattr(-,root,root,-)
/usr/bin/pyperf-bpf
/usr/lib/systemd/system/pyperf-bpf.service
/usr/share/man/man1/pyperf-bpf.1.gz
/usr/share/man/man5/pyperf-bpf.conf.5.gz
/usr/share/bash-completion/completions/pyperf-bpf
/usr/share/zsh/site-functions/_pyperf-bpf
/usr/share/fish/vendor_completions.d/pyperf-bpf.fish
/usr/share/doc/pyperf-bpf
/usr/share/licenses/pyperf-bpf
%dir /etc/pyperf-bpf
%config(noreplace) /etc/pyperf-bpf/pyperf-bpf.conf
%post
[ ! -d /run/systemd/system ] || systemctl daemon-reload
%preun
[ \$1 != 0 ] || [ ! -d /run/systemd/system ] || systemctl disable --now pyperf-bpf.service
%postun
[ ! -d /run/systemd/system ] || systemctl daemon-reload
[ \$1 = 0 ] || [ ! -d /run/systemd/system ] || systemctl try-restart pyperf-bpf.service
END
rpmbuild -bb --quiet --target "$machine-linux" --define "_topdir $work/rpm" --define "_buildhost localhost" \
    --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" \
    --define "_binary_payload w9.gzdio" --define "_rpmdir $work/out" --define "_tmppath $work" \
    --define "_build_id_links none" \
    "$work/pyperf-bpf.spec" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
cp "$work/out/$machine/pyperf-bpf-$version-1.$machine.rpm" "$out/"
