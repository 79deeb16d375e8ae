#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The profiler with the DaemonSet's rights on kernels of Debian and Ubuntu, where kernel.perf_event_paranoid
# is 3 or 4, with cgroup version 2 alone. The root file system of these guests is an initramfs of this
# machine's files.
#   pod.sh BUILD_DIRECTORY [SUITE...]       suites whose kernel is taken; default: bookworm noble trixie sid
# With ONLY=verifier the guests only load the programs, with ONLY=native they only try native code. With
# PUBLISH=1 the counts go into docs/verifier.md.
set -eu
. "$(dirname "$0")/guest.sh"
. "$here/root.sh"

make_root "$work/root" "$build/tests/guest/verifier"
echo /usr/bin/python3.11 >"$work/root/pythons"
cp "$here/pod/init" "$here/pod/guest.conf" "$here/work.py" "$here/receive.py" "$work/root/"
chmod 755 "$work/root/init"
gcc -O2 -pthread -static tests/workloads/native/program.c -o "$work/root/usr/bin/cprogram"
pack "$work/root" >"$work/initramfs"
status=0
for suite in ${*:-bookworm noble trixie sid}; do
    { boot "$suite" 1024 /init ${ONLY:+ONLY=$ONLY} &&
        /usr/bin/python3 "$here/pod/judge.py" "$out"; } || status=1
    [ -z "${PUBLISH:-}" ] ||
        /usr/bin/python3 "$here/verifier.py" "x86-64 $(cut -d. -f1-2 "$out/release")" "$out/verifier"
done
exit $status
