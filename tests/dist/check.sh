#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Makes the files of a release twice, which must be the same, and tries them: make check-dist. Needs root.
set -eu
cd "$(dirname "$0")/../.."
sh deploy/deps.sh dist
sh deploy/deps.sh check
[ "$(uname -m)" != x86_64 ] || sh deploy/deps.sh arm64
uv=0.13.8
if [ "$(.cache/dist/uv/bin/uv --version 2>/dev/null | cut -d' ' -f2)" != $uv ]; then
    python3 -m venv .cache/dist/uv
    .cache/dist/uv/bin/pip install -q --disable-pip-version-check uv==$uv
fi
rm -rf build/release-* build/dist-again
make --no-print-directory dist
failed=0
if [ -z "${ONCE:-}" ]; then
    rm -rf build/release-*
    make --no-print-directory dist DIST=build/dist-again
    diff -r dist build/dist-again || { failed=1; echo "FAILED: two runs of make dist differ"; }
fi
export PYTHONDONTWRITEBYTECODE=1
notes=$(mktemp)
trap 'rm -f "$notes"' EXIT
LAYER=dist NOTES=$notes .cache/venv/bin/python -m pytest -q --timeout 1200 tests/dist || failed=1
.cache/venv/bin/python tests/lib/skips.py "$notes" dist || failed=1
exit $failed
