#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What pod.sh does, on an emulated arm64 machine: Debian's kernels for it, the profiler cross-built by
# tests/arm64.sh, and as workloads Debian's Python 3.11 of bookworm and 3.13 of trixie, each with its suite's
# C library. Their packages are unpacked into an initramfs; nothing of them runs on this machine.
#   arm64.sh BUILD_DIRECTORY [SUITE...]       suites whose kernel is taken; default: bookworm trixie sid
# With ONLY=verifier the guests only load the programs, with ONLY=native they only try native code, and with
# ONLY=written of that what is written down: calls of C, and functions of the kernel. With
# PUBLISH=1 the counts go into docs/verifier.md.
set -eu
machine=arm64
. "$(dirname "$0")/guest.sh"
# Of deploy/deps.sh.
libraries="libbpf1 libcurl3-gnutls libelf1 libdw1 libmicrohttpd12 libjson-c5 libpcre2-8-0"

pythons="python3.11-minimal libpython3.11-stdlib" # the standard library: ctypes, json, mmap
of_list=arm64-$(echo "$libraries $pythons" | cksum | cut -d" " -f1).tar # the cache has one for each list

# unpack SUITE DIR PACKAGE...: the packages and all that they want
unpack() {
    suite=$1 tree=$2
    shift 2
    open_suite "$suite"
    # shellcheck disable=SC2086
    apt-get -qq $options install -y --download-only --no-install-recommends "$@" >/dev/null
    # Debian's directories in / have been links into /usr since bookworm.
    for directory in bin sbin lib; do
        mkdir -p "$tree/usr/$directory"
        ln -s "usr/$directory" "$tree/$directory"
    done
    for package in "$apt"/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -C "$tree" -xf - --keep-directory-symlink
    done
    rm -rf "$apt"
    (cd "$tree/usr/share" && rm -rf doc man locale zoneinfo)
}

# Debian's part, into the cache.
fetch_root() {
    # shellcheck disable=SC2086
    unpack bookworm "$work/arm64" busybox-static util-linux $pythons $libraries
    unpack trixie "$work/arm64/trixie" python3.13-minimal
    tar -C "$work/arm64" -cf "$work/arm64.tar" .
    rm -rf "$work/arm64"
    mv "$work/arm64.tar" "$cache/$of_list"
}

# Programs that are judged by what they say of themselves.
make_chains() {
    mkdir "$1"
    python3 -c 'import pathlib, sys
sys.path.insert(0, "tests/lib")
import native_frames
native_frames.build_chains(pathlib.Path(sys.argv[1]), "-Wl,-rpath,/chains",
                           compiler=("aarch64-linux-gnu-gcc", "--sysroot=%s/.cache/arm64" % sys.argv[2]))' \
        "$1" "$top"
    cp tests/workloads/native/chains.py tests/workloads/native/in_kernel.py \
        tests/workloads/bench/native.py "$1/"
}

make_root() {
    mkdir -p "$1"
    tar -C "$1" -xf "$cache/$of_list"
    mkdir -p "$1/tmp" "$1/etc"
    cp "$build/aarch64/pyperf-bpf" "$build/aarch64/tests/guest/verifier" \
        "$build/aarch64/tests/guest/same_walk" "$1/usr/bin/"
    aarch64-linux-gnu-gcc --sysroot="$top/.cache/arm64" -O2 -pthread -static \
        tests/workloads/native/program.c -o "$1/usr/bin/cprogram"
    make_chains "$1/chains"
    # Trixie's loader under the interpreter's name, which is the process's then.
    cp -L "$1/trixie/usr/lib/aarch64-linux-gnu/ld-linux-aarch64.so.1" "$1/usr/bin/python3.13"
    echo /usr/bin/python3.11 >"$1/pythons"
    echo /usr/bin/python3.13 --library-path /trixie/usr/lib/aarch64-linux-gnu \
        --argv0 /trixie/usr/bin/python3.13 /trixie/usr/bin/python3.13 >>"$1/pythons"
    cp "$here/pod/init" "$here/pod/guest.conf" "$here/work.py" "$here/receive.py" "$1/"
    chmod 755 "$1/init"
}

[ "$(id -u)" = 0 ] || { echo "SKIP arm64: apt needs root"; exit 0; }
umask 022
need qemu-system-arm cpio
[ -s "$cache/$of_list" ] || fetch_root
make_root "$work/root"
pack "$work/root" >"$work/initramfs"
rm -rf "$work/root"
status=0
for suite in ${*:-bookworm trixie sid}; do
    { boot "$suite" 1536 /init ${ONLY:+ONLY=$ONLY} &&
        /usr/bin/python3 "$here/pod/judge.py" "$out"; } || status=1
    [ -z "${PUBLISH:-}" ] ||
        /usr/bin/python3 "$here/verifier.py" "arm64 $(cut -d. -f1-2 "$out/release")" "$out/verifier"
done
exit $status
