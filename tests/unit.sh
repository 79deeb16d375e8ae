#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs every unit test below $1/tests/unit, a process for each file, twice as many at once as there are CPUs,
# since a third of their time they wait; beside these those of kern/, one after the other: they load the
# kernel side again and again, and see what all CPUs do. Fails if one does, or if there is none. With $NOTES
# each of them and each skipped test is noted there (tests/lib/skips.py). $SUITE check leaves out what
# tests/left-to-all.txt has, rest runs nothing else.
#   unit.sh BUILD_DIRECTORY
#   unit.sh --one PROGRAM [FILE]                  one of them, for the above
set -u

# The reasons of tests that were skipped: "SKIP NAME: reason", where NAME is "unit" if the test has none. One
# that gives no reason is told as such, which tests/lib/skips.py does not accept.
reasons() {
    if grep -q '^SKIP' "$1"; then
        sed -n 's/^SKIP: /SKIP unit: /; /^SKIP/p' "$1"
    else
        sed -n 's/^\[  SKIPPED \] \([a-z0-9_]*\)$/a test gives no reason: \1/p' "$1"
    fi
}

note() {
    [ -z "${NOTES:-}" ] || echo "{\"layer\": \"unit\", \"test\": \"$name\", $1}" >>"$NOTES"
}

# What it printed if it failed, else a line; and one for each skip. All at once, since others print too.
one() {
    name=$(basename "${2:-$1}")
    output=$(mktemp)
    code=0
    began=$(date +%s.%N)
    "$@" >"$output" 2>&1 || code=$?
    times >"$output.times" # a subshell would have its own
    took=$(date +%s.%N | awk -v began="$began" '{ printf "%.3f", $1 - began }')
    cpu=$(tail -n 1 "$output.times" | awk -F '[ms ]+' '{ printf "%.3f", 60 * $1 + $2 + 60 * $3 + $4 }')
    passed=$(awk '/^\[  PASSED  \]/ { sum += $4 } END { print sum + 0 }' "$output") # of each of its groups
    verdict="$name: $passed passed"
    [ "$code" -eq 0 ] || verdict=$(cat "$output"; echo "FAILED: $* (exit code $code)")
    echo "$verdict
$(reasons "$output" | sed "s/^/$name: /")" | sed '/^$/d'
    note "\"passed\": $passed, \"failed\": $((code != 0))"
    note "\"wall\": $took, \"own\": 0, \"children\": $cpu"
    reasons "$output" | tr -d '\\"' | while read -r reason; do
        note "\"skip\": \"$reason\""
    done
    rm -f "$output" "$output.times"
    return $code
}

if [ "$1" = --one ]; then
    shift
    one "$@"
    exit
fi
# What tests/left-to-all.txt has of them, in the lines of below.
of_suite() {
    expressions=$(python3 "$(dirname "$0")/lib/left_to_all.py") || exit 1
    case ${SUITE:-} in
    check) grep -v "$expressions" ;;
    rest) grep "$expressions" ;;
    *) cat ;;
    esac
}

# A program that holds several files says which.
tests=$(find "$1/tests/unit" -type f -perm -u+x | sort | while read -r program; do
    files=
    case $program in
    */all) files=$("$program" --list | sed "s|^|$program |") ;;
    esac
    echo "${files:-$program}"
done | of_suite)
[ -z "${NOTES:-}" ] || echo "{\"layer\": \"unit\", \"tests\": $(echo "$tests" | grep -c .)}" >>"$NOTES"
failed=0
echo "$tests" | grep '[ /]kern/' | xargs -r -L 1 sh "$0" --one &
kern=$!
trap 'kill "$kern"; exit 130' INT TERM
echo "$tests" | grep -v '[ /]kern/' | xargs -r -L 1 -P "$((2 * $(nproc)))" sh "$0" --one || failed=1
wait "$kern" || failed=1
[ -n "$tests" ] && [ $failed = 0 ]
