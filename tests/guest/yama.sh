#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Whether a program of nobody profiles itself, by the package of deploy/python, where Yama lets only parents
# read their children. It has to, since the package says who may, and it must hear of it where nobody may. On
# a Debian kernel, since not every machine has Yama.
#   yama.sh BUILD_DIRECTORY [SUITE...]      suites whose kernel is taken; default: trixie
set -eu
. "$(dirname "$0")/guest.sh"
. "$here/root.sh"

make_root "$work/root"
dpkg -L libpython3.11-stdlib | sed -n "s|^/\(usr/lib/python3\)|\1|p" |
    tar -C / --no-recursion -cf - -T - | tar -C "$work/root" -xf -
# ctypes, by which Yama is told, wants a library of its own.
for library in $(ldd /usr/lib/python3.11/lib-dynload/_ctypes*.so | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p'); do
    mkdir -p "$work/root$(dirname "$library")"
    cp -L "$library" "$work/root$library"
done
mkdir "$work/root/package"
cp -r deploy/python/pyperf_bpf "$work/root/package/"
cp "$here/yama/init" "$here/yama/stretch.py" "$work/root/"
chmod 755 "$work/root/init"
chmod -R a+rX "$work/root/package" "$work/root/usr" "$work/root/stretch.py"
pack "$work/root" >"$work/initramfs"
cpus=1 # emulated ones take a thread from the one on which it is looked at
judge_each yama ${*:-trixie}
