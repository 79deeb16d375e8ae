#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Whether programs are sampled from outside on a kernel that is too old for the BPF programs, as nobody and as
# root.
#   old.sh BUILD_DIRECTORY [SUITE...]       suites whose kernel is taken; default: bullseye (5.10)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cd "$top"
. "$here/guest.sh"
. "$here/root.sh"
build=${1:-build}
[ $# = 0 ] || shift

need qemu-system-x86 busybox-static cpio python3.11 util-linux
make_root "$work/root"
cp "$here/old/init" "$here/old/app.py" "$here/first.sh" "$work/root/"
chmod 755 "$work/root/init"
chmod -R a+rX "$work/root/usr" "$work/root/app.py"
pack "$work/root" >"$work/initramfs"
status=0
cpus=1 # emulated ones take a thread from the one on which it is looked at
for suite in ${*:-bullseye}; do
    { boot "$suite" 1024 /init && /usr/bin/python3 "$here/old/judge.py" "$out"; } || status=1
done
exit $status
