#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# End-to-end tests with a profiler that the address and undefined-behaviour sanitizers watch: stacks,
# processes that come and go, HTTP, files, pushes; and all that have hostile programs, files, clients,
# receivers, stores and kubelets. What a sanitizer reports fails the test, of a worker as well
# (tests/lib/profiler.py). Bounds of memory are not those of such a build, so answers without end are left
# out.
#   sanitized.sh BUILD_DIRECTORY
set -u
build=${1:-build/san}
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
export PYPERF="$top/$build/pyperf-bpf" PYTHONDONTWRITEBYTECODE=1
export ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1
python=.cache/venv/bin/python
notes=$(mktemp)
trap 'rm -f "$notes"' EXIT
trap 'exit 130' INT TERM  # without it, dash runs no trap of EXIT
export NOTES="$notes" LAYER=sanitized
failed=0
pytest() {
    nice $python -m pytest -q --timeout 1200 -m "not long" "$@" || failed=1
}

pytest tests/e2e/stacks/test_stacks.py -k 3.13
for test in ${HOSTILE:-safety/test_hostile_clients safety/test_hostile_programs \
             safety/test_hostile_endpoints safety/test_hostile_routes safety/test_hostile_expressions \
             safety/test_hostile_events \
             safety/test_hostile_contexts safety/test_hostile_tasks safety/test_hostile_spans \
             safety/test_parser safety/test_layout_damage safety/test_fake_libpython \
             safety/test_source_swaps safety/test_mcp_sources tasks/test_hostile_names \
             push/test_hostile_receivers containers/test_hostile_kubelet}; do
    pytest "tests/e2e/$test.py" -k "not without_end"
done
for test in ${TESTS:-processes/test_lifecycle serving/test_http serving/test_http_access \
             output/test_continuous push/test_push report/test_stored stacks/test_outside}; do
    # A sanitizer has a file for what it finds, so a process of ours has one more than it may.
    pytest "tests/e2e/$test.py" -k "not may_do_no_more"
done
$python tests/lib/skips.py "$notes" sanitized || failed=1
exit $failed
