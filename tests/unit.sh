#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs every unit test below $1/tests/unit; fails if one does, or if there is none.
set -u
failed=0 run=0
for test in $(find "${1:-build}/tests/unit" -type f -perm -u+x ! -name '*.o' | sort); do
    run=$((run + 1))
    if ! output=$("$test" 2>&1); then
        failed=$((failed + 1))
        echo "$output"
        echo "FAILED: $test"
    else
        echo "$output" | grep -E 'PASSED|SKIP' | sed "s|^|$(basename "$test"): |"
    fi
done
echo "unit test programs: $((run - failed)) passed, $failed failed"
[ "$run" -gt 0 ] && [ "$failed" -eq 0 ]
