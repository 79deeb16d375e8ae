#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs libFuzzer on the targets of tests/fuzz, with the sanitizers, EACH seconds each, as many at once as
# there are CPUs, or JOBS. It begins with the inputs in tests/fuzz/corpus. What it finds interesting stays in
# BUILD_DIRECTORY/corpus. What it finds wrong is named, and belongs into tests/fuzz/corpus together with the
# repair.
#   fuzz.sh BUILD_DIRECTORY [TARGET]    TARGET: this one alone, without a sum
set -eu
build=$1
each=${EACH:-600}
libraries="-lcurl -ljson-c -lbpf -ldw -lelf -lmicrohttpd -lpcre2-8 -lz -llzma -liberty"

compile() {
    # The steps of a loop in bpf/ are called as functions of another type, as the kernel does
    # (bpf/base/loop.h).
    # shellcheck disable=SC2086
    $CLANG -I. -Iuser -I"$build/gen" -D_GNU_SOURCE -std=gnu11 -O1 -g \
        -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -fno-sanitize=function \
        "tests/fuzz/$1.c" "$build/libpyperf.a" $libraries -o "$build/tests/fuzz/$1"
}

# What is said of one target, which begins with PASSED or FAILED.
run() {
    log=$build/$1.log
    mkdir -p "$build/tests/fuzz" "$build/corpus/$1"
    compile "$1" >"$log" 2>&1 || {
        echo "FAILED $1: it does not compile"
        tail -5 "$log"
        return
    }
    if "$build/tests/fuzz/$1" -max_total_time="$each" -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$build/$1-" \
        "$build/corpus/$1" "tests/fuzz/corpus/$1" >"$log" 2>&1; then
        echo "PASSED $1, $each s"
        grep -E 'number_of_executed_units|new_units_added' "$log"
    else
        echo "FAILED $1"
        grep -E 'not true|ERROR|SUMMARY|Test unit written' "$log" || tail -5 "$log"
    fi
}

if [ $# = 2 ]; then
    said=$(run "$2")  # whole, so that what two say at once is not mixed
    echo "$said"
    exit
fi
targets=${TARGETS:-$(basename -s .c tests/fuzz/*.c)}
sums=$build/fuzz.txt
# shellcheck disable=SC2086
printf '%s\n' $targets | xargs -P "${JOBS:-$(nproc)}" -I TARGET sh "$0" "$build" TARGET | tee "$sums"
passed=$(grep -c '^PASSED ' "$sums" || true)
failed=$(($(echo "$targets" | wc -w) - passed))
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
