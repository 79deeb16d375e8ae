#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Whether programs are sampled from outside on a kernel that is too old for the BPF programs, as nobody and as
# root.
#   old.sh BUILD_DIRECTORY [SUITE...]       suites whose kernel is taken; default: bullseye (5.10)
set -eu
. "$(dirname "$0")/guest.sh"
. "$here/root.sh"

make_root "$work/root"
cp "$here/old/init" "$here/old/app.py" "$here/first.sh" "$work/root/"
chmod 755 "$work/root/init"
chmod -R a+rX "$work/root/usr" "$work/root/app.py"
pack "$work/root" >"$work/initramfs"
cpus=1 # emulated ones take a thread from the one on which it is looked at
judge_each old ${*:-bullseye}
