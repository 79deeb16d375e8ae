#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The tests of one suite; one that fails does not keep the others from running.
#   check.sh BUILD_DIRECTORY check | rest | all | long
# check: each capability on one interpreter of each family (FAMILIES in tests/lib/interpreters.py), without
# the tests that have the marker "all". rest: those that have it, when check has just run on the same commit.
# all: both, every test that does not take hours. long: those too.
#
# Lanes, by what their tests need. "waits": they sleep, for an interval or a receiver. "burns": their
# programs burn CPUs; one more at once than there are CPUs, since each also starts and reads what came out,
# and goes on until its programs have had enough. "alone": about the whole machine; they come last, one after
# the other. One lane comes after the other: the programs that waiting tests look at burn CPUs as well, and
# beside other lanes they had too few samples for what is judged.
#
# REQUIRE=go,chromium,pbs-3.14.6,...: fails when a test was skipped for want of one of these
# (tests/lib/skips.py).
# NOTES=FILE: keeps there what the tests noted: what was skipped, and how long each took.
# One line a minute says what runs, what is left and about how long that takes (tests/lib/progress.py). Ctrl-C
# leaves nothing behind (tests/lib/leftovers.py).
# JOBS: how many tests of the first lane run side by side: three times as many as there are CPUs.
set -u
build=$1
export SUITE="$2"
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
export PYPERF="$top/$build/pyperf-bpf" PYTHONDONTWRITEBYTECODE=1
python=.cache/venv/bin/python
folders="tests/oracle tests/judges tests/repo tests/e2e"
jobs=${JOBS:-$((3 * $(nproc)))}
case $SUITE in
check) chosen="not long and not all" ;;
rest) chosen="not long and all" ;;
all) chosen="not long" ;;
long) chosen="long or not long"; export LONG=1 ;;
*) echo "check.sh: no suite is called $SUITE" >&2; exit 2 ;;
esac
scratch=$(mktemp -d)
export NOTES="${NOTES:-$scratch/notes}"
failed=0

# All that is said goes into a file, too. What is left of a run that is interrupted is found by its mark.
log=$build/$SUITE.log
export CHECK_RUN=$$-$(date +%s)
mkfifo "$scratch/said"
(trap '' INT TERM; exec tee "$log") <"$scratch/said" &
tee=$!
exec 3>&1 >"$scratch/said" 2>&1
$python tests/lib/progress.py "$NOTES" &
progress=$!

finish() {
    kill "$progress" 2>/dev/null
    exec >&3 2>&3
    # It ends when nobody has the other end any more.
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        kill -0 "$tee" 2>/dev/null || break
        sleep 0.2
    done
    kill -KILL "$tee" 2>/dev/null
    rm -rf "$scratch"
}
interrupted() {
    trap '' INT TERM
    echo "interrupted: taking away what is left"
    $python tests/lib/leftovers.py "$CHECK_RUN"
    exit 130
}
trap finish EXIT
trap interrupted INT TERM

begins() {
    echo "{\"layer\": \"$1\", \"began\": $(date +%s)}" >>"$NOTES"
}

# lane NAME MARKERS AT_ONCE
lane() {
    begins "$1"
    side_by_side=
    [ "$3" = 1 ] || side_by_side="-n $3 --dist loadgroup"
    # shellcheck disable=SC2086
    LAYER="$1" $python -m pytest -q --timeout 1200 -m "($chosen) and $2" $side_by_side $folders
    code=$?
    [ $code = 0 ] || failed=1
}

$python tests/fetch-interpreters.py $([ "$SUITE" != long ] || echo --long) || failed=1
# What pytest makes of the tests is there when the lanes begin (tests/conftest.py).
# shellcheck disable=SC2086
NOTES='' $python -m pytest -q --collect-only $folders >/dev/null &
begins unit
sh tests/unit.sh "$build" || failed=1
lane waits "waits and not alone" "$jobs"
lane burns "not waits and not alone" "${JOBS:-$((1 + $(nproc)))}"
lane alone alone 1

echo
$python tests/lib/times.py "$NOTES" || failed=1
echo
$python tests/lib/skips.py "$NOTES" || failed=1
echo "all of this is in $log"
exit $failed
