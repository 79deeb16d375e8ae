#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The package of Debian in a Debian with systemd: installed, started, upgraded from a version before, removed
# and purged, in a guest as systemd.sh has it.
#   deb.sh              needs root
set -eu
. "$(dirname "$0")/guest.sh"
. "$here/debian.sh"

# Two builds of this commit; the older one is one by its version alone.
sh deploy/deps.sh dist
mkdir -p "$work/root/root"
# build NAME [VERSION]
build() {
    mkdir -p "$work/$1"
    make --no-print-directory -s -j"$(nproc)" RELEASE=1 O="build/release-$1" ${2:+VERSION="$2"} \
        DIST="$work/$1" dist-files >/dev/null
    cp "$work/$1"/*_amd64.deb "$work/root/root/$1.deb"
}
build before 0.0.9
build now
fill_root "$work/root" deb.sh
boot_debian "$work/root"
/usr/bin/python3 "$here/systemd/judge_deb.py" "$out"
