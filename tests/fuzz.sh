#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs libFuzzer on the targets of tests/fuzz, with the sanitizers, EACH seconds each. It begins with the
# inputs in tests/fuzz/corpus. What it finds interesting stays in BUILD_DIRECTORY/corpus. What it finds wrong
# is named, and belongs into tests/fuzz/corpus together with the repair.
#   fuzz.sh BUILD_DIRECTORY
set -eu
build=$1
each=${EACH:-600}
libraries="-lcurl -ljson-c -lbpf -ldw -lelf -lmicrohttpd -lpcre2-8 -lz -llzma -liberty"
passed=0 failed=0
for target in ${TARGETS:-$(basename -s .c tests/fuzz/*.c)}; do
    program=$build/tests/fuzz/$target
    found=$build/corpus/$target
    log=$build/$target.log
    mkdir -p "$(dirname "$program")" "$found"
    # The steps of a loop in bpf/ are called as functions of another type, as the kernel does
    # (bpf/base/loop.h).
    # shellcheck disable=SC2086
    $CLANG -I. -Iuser -I"$build/gen" -D_GNU_SOURCE -std=gnu11 -O1 -g \
        -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -fno-sanitize=function \
        "tests/fuzz/$target.c" "$build/libpyperf.a" $libraries -o "$program" || {
        failed=$((failed + 1))
        echo "FAILED $target: it does not compile"
        continue
    }
    echo "== $target, $each s"
    "$program" -max_total_time="$each" -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$build/$target-" \
        "$found" "tests/fuzz/corpus/$target" >"$log" 2>&1 || {
        failed=$((failed + 1))
        grep -E 'not true|ERROR|SUMMARY|Test unit written' "$log" || tail -5 "$log"
        echo "FAILED $target"
        continue
    }
    passed=$((passed + 1))
    grep -E 'number_of_executed_units|new_units_added' "$log"
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
