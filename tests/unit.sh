#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs every unit test below $1/tests/unit; fails if one does, or if there is none. With $NOTES each of them
# and each skipped test is noted there (tests/lib/skips.py).
set -u
failed=0 run=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# The reasons of tests that were skipped: "SKIP NAME: reason", where NAME is "unit" if the test has none. One
# that gives no reason is told as such, which tests/lib/skips.py does not accept.
reasons() {
    if grep -q '^SKIP' "$output"; then
        sed -n 's/^SKIP: /SKIP unit: /; /^SKIP/p' "$output"
    else
        sed -n 's/^\[  SKIPPED \] \([a-z0-9_]*\)$/a test gives no reason: \1/p' "$output"
    fi
}

note() {
    [ -z "${NOTES:-}" ] || echo "$1" >>"$NOTES"
}

for test in $(find "${1:-build}/tests/unit" -type f -perm -u+x ! -name '*.o' | sort); do
    run=$((run + 1))
    name=$(basename "$test")
    code=0
    "$test" >"$output" 2>&1 || code=$?
    passed=$(awk '/^\[  PASSED  \]/ { sum += $4 } END { print sum + 0 }' "$output") # of each of its groups
    if [ "$code" -ne 0 ]; then
        failed=$((failed + 1))
        cat "$output"
        echo "FAILED: $test (exit code $code)"
    else
        echo "$name: $passed passed"
    fi
    note "{\"layer\": \"unit\", \"test\": \"$name\", \"passed\": $passed, \"failed\": $((code != 0))}"
    reasons | while read -r reason; do
        echo "$name: $reason"
        note "{\"layer\": \"unit\", \"test\": \"$name\", \"skip\": \"$(echo "$reason" | tr -d '\\"')\"}"
    done
done
echo "unit test programs: $((run - failed)) passed, $failed failed"
[ "$run" -gt 0 ] && [ "$failed" -eq 0 ]
