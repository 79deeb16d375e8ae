#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds a collector of OpenTelemetry and tries the profiler with it: check.sh BUILD_DIRECTORY. Needs root.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
.cache/venv/bin/python tests/fetch-interpreters.py
export COLLECTOR="${PYPERF_CACHE:-$top/.cache}/collector"
sh tests/collector/build.sh "$COLLECTOR"
export PYPERF="$top/${1:-build}/pyperf-bpf" PYTHONDONTWRITEBYTECODE=1
notes=$(mktemp)
trap 'rm -f "$notes"' EXIT
failed=0
LAYER=otlp NOTES=$notes .cache/venv/bin/python -m pytest -q --timeout 600 tests/collector || failed=1
.cache/venv/bin/python tests/lib/skips.py "$notes" otlp || failed=1
exit $failed
