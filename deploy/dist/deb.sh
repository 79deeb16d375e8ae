#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A package for Debian and Ubuntu, by dpkg-deb: deb.sh STAGE VERSION ARCHITECTURE OUT
# The service is installed and not started: what it profiles is for the owner of the machine to say.
# DEBFULLNAME and DEBEMAIL say who releases it.
set -eu
stage=$1 version=$2-1 architecture=$3 out=$4
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
umask 022
sh "$(dirname "$0")/tree.sh" "$stage" "$root" usr/share/zsh/vendor-completions
doc=$root/usr/share/doc/pyperf-bpf
who="${DEBFULLNAME:-the maintainers of pyperf-bpf} <${DEBEMAIL:-maintainers@pyperf-bpf.invalid}>"
gzip -9nc "$stage/CHANGELOG.md" >"$doc/changelog.gz"
{
    printf 'pyperf-bpf (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n' "$version"
    printf ' -- %s  %s\n' "$who" "$(LC_ALL=C date -uRd "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$doc/changelog.Debian.gz"
{
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n'
    printf 'Upstream-Name: pyperf-bpf\n\nFiles: *\nCopyright: 2026 the authors of pyperf-bpf\n'
    printf 'License: GPL-2.0-only\n'
    printf ' On Debian the text is in /usr/share/common-licenses/GPL-2.\n'
    printf 'Comment: what others wrote and is linked into the binary is in LICENCES.md beside this file.\n'
} >"$doc/copyright"
mkdir -p "$root/usr/share/lintian/overrides" "$root/DEBIAN"
{
    echo "# One package for all releases, which asks for libc alone. LICENCES.md says what is linked in."
    echo "pyperf-bpf: embedded-library *"
} >"$root/usr/share/lintian/overrides/pyperf-bpf"
{
    echo "Package: pyperf-bpf"
    echo "Version: $version"
    echo "Architecture: $architecture"
    echo "Maintainer: $who"
    echo "Installed-Size: $(du -sk --apparent-size "$root" | cut -f1)"
    echo "Depends: libc6 (>= 2.34)"
    echo "Recommends: libcurl4 | libcurl3-gnutls"
    echo "Section: devel"
    echo "Priority: optional"
    echo "Description: eBPF profiler for CPython"
    echo " Shows which Python lines burn the CPUs of a machine, and where they wait, from"
    echo " inside the kernel, without touching the programs. It needs Linux 6.1 or later."
} >"$root/DEBIAN/control"
echo /etc/pyperf-bpf/pyperf-bpf.conf >"$root/DEBIAN/conffiles"
cat >"$root/DEBIAN/postinst" <<'END'
#!/bin/sh
set -e
# Upgraded: a service that runs is started anew.
if [ "$1" = configure ] && [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    [ -z "$2" ] || systemctl try-restart pyperf-bpf.service
fi
END
cat >"$root/DEBIAN/prerm" <<'END'
#!/bin/sh
set -e
if [ "$1" = remove ]; then
    if [ -d /run/systemd/system ]; then
        systemctl disable --now pyperf-bpf.service
    fi
fi
END
cat >"$root/DEBIAN/postrm" <<'END'
#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
fi
# The profiles of the service, whose user had them in private/.
if [ "$1" = purge ]; then
    rm -f /etc/systemd/system/multi-user.target.wants/pyperf-bpf.service
    rm -rf /var/lib/pyperf-bpf /var/lib/private/pyperf-bpf /etc/pyperf-bpf
fi
END
chmod 755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm" "$root/DEBIAN/postrm"
(cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz -b "$root" "$out/pyperf-bpf_${version}_$architecture.deb" >/dev/null
