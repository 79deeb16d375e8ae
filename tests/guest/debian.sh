# SPDX-License-Identifier: GPL-2.0-only
# A guest that is a Debian of its own, with systemd, made by debootstrap, for systemd.sh and deb.sh to source
# after guest.sh. Needs root.
debian=bookworm kernel=trixie

# Those of deploy/deps.sh, at run time.
libraries=libbpf1,libcurl3-gnutls,libelf1,libdw1,libmicrohttpd12,libpcre2-8-0

# Debian as an initramfs, into the cache, which has one for each list of libraries.
of_list=systemd-dpkg-$debian-$(echo $libraries | cksum | cut -d' ' -f1).cpio
fetch_debian() {
    debootstrap --variant=minbase --include=systemd,dbus,python3-minimal,bpftool,$libraries \
        "$debian" "$work/debian" "$(mirror)" >"$work/debootstrap" ||
        { tail -n 20 "$work/debootstrap"; return 1; }
    for directory in var/cache var/lib/apt usr/share/doc usr/share/locale usr/share/man \
        usr/share/zoneinfo; do
        rm -rf "$work/debian/$directory"/*
    done
    pack "$work/debian" >"$work/debian.cpio"
    rm -rf "$work/debian"
    mv "$work/debian.cpio" "$cache/$of_list"
}

# fill_root ROOT SCRIPT: what a guest has besides, SCRIPT being what it runs
fill_root() {
    mkdir -p "$1/etc/systemd/system/multi-user.target.wants" "$1/usr/local/lib/guest"
    cp "$here/systemd/work.service" "$here/systemd/throttled.service" "$here/systemd/check.service" \
        "$1/etc/systemd/system/"
    ln -s ../check.service "$1/etc/systemd/system/multi-user.target.wants/"
    cp "$here/systemd/steps.sh" "$here/work.py" "$1/usr/local/lib/guest/"
    cp "$here/systemd/$2" "$1/usr/local/lib/guest/check.sh"
}

# boot_debian ROOT: Debian with the files of ROOT, until check.sh has ended
boot_debian() {
    { cat "$cache/$of_list" && pack "$1"; } >"$work/initramfs"
    boot "$kernel" 1792 /lib/systemd/systemd systemd.getty_auto=no systemd.show_status=no
}

[ "$(id -u)" = 0 ] || { echo "SKIP systemd: debootstrap needs root"; exit 0; }
umask 022
need qemu-system-x86 cpio debootstrap
if ! [ -s "$cache/$of_list" ]; then
    fetch_debian
fi
