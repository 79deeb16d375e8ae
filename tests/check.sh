#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The tests of one suite; one that fails does not keep the others from running.
#   check.sh BUILD_DIRECTORY check | all | long
# check: each capability on one interpreter of each family (FAMILIES in tests/lib/interpreters.py), without
# the tests that have the marker "all". all: every test that does not take hours. long: those too.
#
# Lanes, by what their tests need. "waits": they sleep, for an interval or a receiver. "burns": their
# programs burn CPUs; as many at once as there are CPUs, each until its programs have had enough. "alone":
# about the whole machine; they come last, one after the other. One lane comes after the other: the programs
# that waiting tests look at burn CPUs as well, and beside other lanes they had too few samples for what is
# judged.
#
# REQUIRE=go,chromium,pbs-3.14.6,...: fails when a test was skipped for want of one of these
# (tests/lib/skips.py).
# AGAIN=1: end-to-end tests that failed run again, each alone (tests/lib/again.py). CI asks for that.
# NOTES=FILE: keeps there what the tests noted: what was skipped, and how long each took.
# JOBS: how many tests of the first two lanes run side by side: as many as there are CPUs.
set -u
build=$1
export SUITE="$2"
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
export PYPERF="$top/$build/pyperf-bpf" PYTHONDONTWRITEBYTECODE=1
python=.cache/venv/bin/python
folders="tests/oracle tests/judges tests/repo tests/e2e"
jobs=${JOBS:-$(nproc)}
case $SUITE in
check) chosen="not long and not all" ;;
all) chosen="not long" ;;
long) chosen="long or not long"; export LONG=1 ;;
*) echo "check.sh: no suite is called $SUITE" >&2; exit 2 ;;
esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export NOTES="${NOTES:-$scratch/notes}"
failed=0
tests_failed=0

# lane NAME MARKERS AT_ONCE
lane() {
    side_by_side=
    [ "$3" = 1 ] || side_by_side="-n $3 --dist loadgroup"
    # shellcheck disable=SC2086
    LAYER="$1" $python -m pytest -q --timeout 1200 -m "($chosen) and $2" $side_by_side $folders
    code=$?
    # 1: tests have failed. All else is pytest's own trouble.
    [ $code -le 1 ] || failed=1
    [ $code = 0 ] || tests_failed=1
}

$python tests/fetch-interpreters.py $([ "$SUITE" != long ] || echo --long) || failed=1
sh tests/unit.sh "$build" beside || failed=1
lane waits "waits and not alone" "$jobs"
lane burns "not waits and not alone" "$jobs"
sh tests/unit.sh "$build" alone || failed=1
lane alone alone 1
[ $tests_failed = 0 ] || [ -z "${AGAIN-}" ] || ! $python tests/lib/again.py "$NOTES" || tests_failed=0
[ $tests_failed = 0 ] || failed=1

echo
$python tests/lib/times.py "$NOTES" || failed=1
echo
$python tests/lib/skips.py "$NOTES" || failed=1
exit $failed
