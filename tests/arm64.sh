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
    echo "SKIP arm64: no $tool (sh deploy/deps.sh long)"
    exit 0
done

# What deploy/deps.sh links with.
wanted() {
    sed -n '/^list="/,/"$/p' deploy/deps.sh | tr ' "' '\n\n' | grep -E '^lib.*-dev$'
}

# That, what the tests link with, and all that these want. With lists, status and cache of its own.
fetch() {
    lists=$sysroot/apt
    rm -rf "$sysroot"
    mkdir -p "$lists/lists/partial" "$lists/cache/archives/partial"
    uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/*$' | head -n 1)
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb [signed-by=$keys] $uri $suite main" >"$lists/sources.list"
    : >"$lists/status"
    packages=$(wanted)
    apt="apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64
         -o Dir::Etc::sourcelist=$lists/sources.list
         -o Dir::Etc::sourceparts=- -o Dir::Cache=$lists/cache -o Dir::State::lists=$lists/lists
         -o Dir::State::status=$lists/status -o APT::Sandbox::User=root"
    $apt update
    # shellcheck disable=SC2086
    $apt install -y --download-only --no-install-recommends $packages uthash-dev libcmocka-dev >/dev/null
    for package in "$lists"/cache/archives/*.deb; do
        dpkg-deb -x "$package" "$sysroot"
    done
    rm -rf "$lists"
    wanted >"$sysroot/.done"
}

if [ "$(wanted)" != "$(cat "$sysroot/.done" 2>/dev/null)" ] && ! fetch; then
    echo "SKIP arm64: Debian's packages for it cannot be had"
    exit 0
fi

tests=$(ls tests/unit/bpf/*.c tests/unit/base/*.c tests/unit/elf/*.c tests/unit/profile/*.c \
    tests/unit/python/test_layout.c tests/unit/python/test_debug_offsets.c \
    tests/unit/python/test_linetable.c \
    tests/unit/python/test_pystr.c tests/unit/python/test_codes.c | sed "s|^|$build/|; s|\.c$||")
# shellcheck disable=SC2086
make --no-print-directory O="$build" ARCH=arm64 CC=aarch64-linux-gnu-gcc SYSROOT="$sysroot" all \
    "$build/tests/guest/verifier" $tests
failed=0 run=0
for test in $tests; do
    run=$((run + 1))
    if ! output=$(qemu-aarch64 -L "$sysroot" "$test" 2>&1); then
        failed=$((failed + 1))
        echo "$output"
        echo "FAILED: $test"
    fi
done
echo "arm64 under qemu-user: $((run - failed)) test programs passed, $failed failed"
[ "$run" -gt 0 ] && [ "$failed" -eq 0 ]
