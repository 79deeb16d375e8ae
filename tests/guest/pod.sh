#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The profiler with the DaemonSet's rights on Debian's own kernels, where kernel.perf_event_paranoid is 3,
# with cgroup version 2 alone. The root file system of these guests is an initramfs of this machine's files.
#   pod.sh BUILD_DIRECTORY [SUITE...]       suites whose kernel is taken; default: bookworm trixie sid
# With ONLY=verifier the guests only load the programs. With PUBLISH=1 the counts go into docs/verifier.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cd "$top"
. "$here/guest.sh"
build=${1:-build}
[ $# = 0 ] || shift

# Libraries go where this machine's loader finds them.
add_program() {
    cp -L "$1" "$2/usr/bin/"
    ldd "$1" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | while read -r library; do
        mkdir -p "$2$(dirname "$library")"
        cp -L "$library" "$2$library"
    done
}

make_root() {
    sh deploy/image.sh --root "$build/pyperf-bpf" "$1"
    mkdir -p "$1/bin"
    cp -L "$(command -v busybox)" "$1/bin/busybox"
    for program in "$build/tests/guest/verifier" /usr/bin/setpriv /usr/bin/unshare /usr/bin/python3.11; do
        add_program "$program" "$1"
    done
    dpkg -L libpython3.11-minimal | sed -n "s|^/\(usr/lib/python3\)|\1|p" |
        tar -C / --no-recursion -cf - -T - | tar -C "$1" -xf -
    echo /usr/bin/python3.11 >"$1/pythons"
    cp "$here/pod/init" "$here/pod/guest.conf" "$here/work.py" "$here/receive.py" "$1/"
    chmod 755 "$1/init"
}

need qemu-system-x86 busybox-static cpio python3.11 util-linux
make_root "$work/root"
pack "$work/root" >"$work/initramfs"
status=0
for suite in ${*:-bookworm trixie sid}; do
    { boot "$suite" 1024 /init ${ONLY:+ONLY=$ONLY} &&
        /usr/bin/python3 "$here/pod/judge.py" "$out"; } || status=1
    [ -z "${PUBLISH:-}" ] ||
        /usr/bin/python3 "$here/verifier.py" "x86-64 $(cut -d. -f1-2 "$out/release")" "$out/verifier"
done
exit $status
