#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# deploy/pyperf-bpf.service as `make install` installs it, under a real systemd, on Debian's kernel of which
# kernel.perf_event_paranoid is 3 and which has BPF timers. The guest is a Debian of its own, made by
# debootstrap.
#   systemd.sh BUILD_DIRECTORY              needs root
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cd "$top"
. "$here/guest.sh"
build=${1:-build}
debian=bookworm kernel=trixie

# Those of deploy/deps.sh, at run time.
libraries=libbpf1,libcurl3-gnutls,libelf1,libdw1,libmicrohttpd12,libprotobuf-c1

# Debian as an initramfs, into the cache, which has one for each list of libraries.
of_list=systemd-$debian-$(echo $libraries | cksum | cut -d' ' -f1).cpio
fetch_debian() {
    debootstrap --variant=minbase --include=systemd,dbus,python3-minimal,bpftool,$libraries \
        "$debian" "$work/debian" "$(mirror)" >"$work/debootstrap" ||
        { tail -n 20 "$work/debootstrap"; return 1; }
    for directory in var/cache var/lib/apt var/lib/dpkg usr/share/doc usr/share/locale usr/share/man \
        usr/share/zoneinfo; do
        rm -rf "$work/debian/$directory"/*
    done
    pack "$work/debian" >"$work/debian.cpio"
    rm -rf "$work/debian"
    mv "$work/debian.cpio" "$cache/$of_list"
}

make_root() {
    make --no-print-directory -s install O="$build" DESTDIR="$1"
    mkdir -p "$1/etc/systemd/system/multi-user.target.wants" "$1/usr/local/lib/guest"
    cp "$here/systemd/work.service" "$here/systemd/check.service" "$1/etc/systemd/system/"
    ln -s ../check.service "$1/etc/systemd/system/multi-user.target.wants/"
    cp "$here/systemd/check.sh" "$here/work.py" "$1/usr/local/lib/guest/"
    # Profiles at the pace of a test.
    sed -i 's/^interval = .*/interval = 3/' "$1/etc/pyperf-bpf/pyperf-bpf.conf"
}

[ "$(id -u)" = 0 ] || { echo "SKIP systemd: debootstrap needs root"; exit 0; }
umask 022
need qemu-system-x86 cpio debootstrap
if ! [ -s "$cache/$of_list" ]; then
    fetch_debian
fi
make_root "$work/root"
{ cat "$cache/$of_list" && pack "$work/root"; } >"$work/initramfs"
boot "$kernel" 1536 /lib/systemd/systemd systemd.getty_auto=no systemd.show_status=no
/usr/bin/python3 "$here/systemd/judge.py" "$out"
