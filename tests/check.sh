#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# All tests, from the quick to the slow; one that fails does not keep the others from running. LONG=1 adds
# those that take hours.
#   check.sh BUILD_DIRECTORY
# REQUIRE=go,chromium,pbs-3.14.6,...: fails when a test was skipped for want of one of these
# (tests/lib/skips.py).
# NOTES=FILE: keeps there what the tests noted: what was skipped, and how long each took.
# JOBS: how many end-to-end tests run side by side: as many as there are CPUs. Their targets burn CPUs, and
# each test waits until its own have had enough.
set -u
build=${1:-build}
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
export PYPERF="$top/$build/pyperf-bpf" PYTHONDONTWRITEBYTECODE=1
python=.cache/venv/bin/python
jobs=${JOBS:-$(nproc)}
side_by_side=
folders="tests/oracle tests/judges tests/repo tests/e2e"
[ "$jobs" = 1 ] || side_by_side="-n $jobs --dist loadgroup"
if [ -z "${NOTES:-}" ]; then
    NOTES=$(mktemp)
    trap 'rm -f "$NOTES"' EXIT
fi
export NOTES
failed=0
long='not long and '
[ "${LONG:-0}" = 0 ] || long=

# end_to_end LAYER MARKERS [OPTION...]
end_to_end() {
    LAYER=$1
    export LAYER
    markers=$2
    shift 2
    # shellcheck disable=SC2086
    $python -m pytest -q --timeout 1200 -m "$markers" "$@" $folders || failed=1
}

$python tests/fetch-interpreters.py $([ -n "$long" ] || echo --long) || failed=1
sh tests/unit.sh "$build" || failed=1
# shellcheck disable=SC2086
end_to_end e2e "${long}not alone" $side_by_side
end_to_end alone "${long}alone"

echo
$python tests/lib/times.py "$NOTES" || failed=1
echo
$python tests/lib/skips.py "$NOTES" || failed=1
exit $failed
