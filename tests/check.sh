#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# All tests, from the quick to the slow. LONG=1 adds those that take hours.
set -eu
build=${1:-build}
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
export PYPERF="$top/$build/pyperf-bpf" PYTHONDONTWRITEBYTECODE=1

sh tests/unit.sh "$build"
if [ "${LONG:-0}" = 1 ]; then
    .cache/venv/bin/python tests/fetch-interpreters.py --long
    exec .cache/venv/bin/python -m pytest -q -rs --timeout 300 tests/e2e
fi
.cache/venv/bin/python tests/fetch-interpreters.py
exec .cache/venv/bin/python -m pytest -q -rs --timeout 300 -m 'not long' tests/e2e
