#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds everything for arm64 and runs the tests that need no kernel of that kind under qemu-user. The
# libraries are Debian's packages for arm64, unpacked in .cache/arm64: nothing is installed, and this system
# stays of one architecture.
set -eu
build=${1:-build}/aarch64
cd "$(dirname "$0")/.."
sysroot=$PWD/.cache/arm64

for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v $tool >/dev/null && continue
    echo "SKIP arm64: no $tool (sh deploy/deps.sh arm64)"
    exit 0
done

if ! sh deploy/dist/sysroot.sh "$sysroot"; then
    echo "SKIP arm64: Debian's packages for it cannot be had"
    exit 0
fi

files=$(echo tests/unit/bpf/*.c tests/unit/base/*.c tests/unit/elf/*.c tests/unit/profile/*.c \
    tests/unit/views/*.c tests/unit/formats/*.c \
    tests/unit/python/test_layout.c tests/unit/python/test_debug_offsets.c \
    tests/unit/python/test_linetable.c \
    tests/unit/python/test_pystr.c tests/unit/names/test_codes.c tests/unit/names/test_kernel_names.c \
    tests/unit/proc/test_syscall_names.c tests/unit/options/test_derive_native.c)
# shellcheck disable=SC2046,SC2086
make --no-print-directory O="$build" ARCH=arm64 CC=aarch64-linux-gnu-gcc SYSROOT="$sysroot" \
    UNIT_SRC="$files" all units "$build/tests/guest/verifier" "$build/tests/guest/same_walk" \
    "$build/tests/layouts/show"
failed=0 run=0 skipped=0

# passes PROGRAM [FILE]
passes() {
    run=$((run + 1))
    if ! output=$(qemu-aarch64 -L "$sysroot" "$@" 2>&1); then
        failed=$((failed + 1))
        echo "$output"
        echo "FAILED: $*"
        return
    fi
    echo "$output" | sed -n 's/^SKIP: /SKIP unit: /; /^SKIP/p'
    skipped=$((skipped + $(echo "$output" | grep -c '^SKIP' || true)))
}

for file in $files; do
    program=${file%.c}
    if [ -x "$build/$program" ]; then
        passes "$build/$program"
    else
        passes "$build/tests/unit/all" "${program#tests/unit/}"
    fi
done

# layout_agrees INCLUDE VERSION [OPTION]: whether an arm64 compiler puts everything where the layout has it
layout_agrees() {
    source=derive.c
    [ -e "$1/internal/pycore_interp_structs.h" ] || [ -e "$1/internal/pycore_frame.h" ] || source=derive_old.c
    derive="aarch64-linux-gnu-gcc --sysroot=$sysroot -std=gnu11 -w -O1 ${3:-} -I $1 -I $1/internal -I ."
    $derive "tests/layouts/$source" -o "$build/derive" || return 1
    qemu-aarch64 -L "$sysroot" "$build/tests/layouts/show" "$2" >"$build/shown"
    ! qemu-aarch64 -L "$sysroot" "$build/derive" | grep -vE '^(version|tss_key_|kind_mask)' |
        grep -vxFf "$build/shown"
}

# From 3.7 on, where there is a _PyRuntime. In 3.13 free-threaded builds differ in what the process does not
# say.
for include in "$HOME"/.pyenv/versions/3.*/include/python3.*; do
    version=$(basename "$include" | sed 's/^python//; s/m$//')
    [ -d "$include/internal" ] || continue
    run=$((run + 1))
    layout_agrees "$include" "$version" || { failed=$((failed + 1)); echo "FAILED: layout of $version"; }
    [ "$version" = 3.13 ] || continue
    run=$((run + 1))
    layout_agrees "$include" 3.13t -DPy_GIL_DISABLED=1 ||
        { failed=$((failed + 1)); echo "FAILED: layout of 3.13t"; }
done
echo "arm64 under qemu-user, programs of tests and layouts that pass, and tests that are skipped:"
echo "$((run - failed)) passed, $failed failed, $skipped skipped"
[ "$run" -gt 0 ] && [ "$failed" -eq 0 ]
