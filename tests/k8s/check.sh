#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Installs and builds what a Kubernetes node needs, then runs the tests on one: check.sh BUILD_DIRECTORY.
# Needs root.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
packages="containerd runc etcd-server containernetworking-plugins openssl iproute2 bpftool curl
          busybox-static"
missing=
for package in $packages; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
        missing="$missing $package"
done
if [ -n "$missing" ]; then
    # containerd and etcd come with init scripts; nothing of them is to start here.
    sh deploy/apt.sh update -qq
    # shellcheck disable=SC2086
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive \
        sh deploy/apt.sh install -y -qq --no-install-recommends $missing
fi
.cache/venv/bin/python tests/fetch-interpreters.py
bin=${PYPERF_CACHE:-$top/.cache}/k8s/bin
sh tests/k8s/build.sh "$bin"
sh tests/k8s/build-receivers.sh "$bin"
export PYPERF="$top/${1:-build}/pyperf-bpf" PYTHONDONTWRITEBYTECODE=1
notes=$(mktemp)
trap 'rm -f "$notes"' EXIT
failed=0
LAYER=k8s NOTES=$notes .cache/venv/bin/python -m pytest -q --timeout 3600 tests/k8s || failed=1
.cache/venv/bin/python tests/lib/skips.py "$notes" k8s || failed=1
exit $failed
