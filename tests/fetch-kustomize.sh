#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds kustomize from the Go module proxy into DIR/kustomize, once: Debian's kubectl is too old to render
# deploy/. This version is the newest that Debian 12's Go can build.
#   fetch-kustomize.sh DIR
set -eu
version=v5.0.3
dir=$(mkdir -p "$1" && cd "$1" && pwd)
[ "$(cat "$dir/kustomize.version" 2>/dev/null)" = "$version" ] && exit 0
GOFLAGS=-mod=mod GOBIN="$dir" go install "sigs.k8s.io/kustomize/kustomize/v5@$version" 2>/dev/null || {
    echo "SKIP kustomize: it cannot be built from the Go module proxy here" >&2
    exit 0
}
echo "$version" >"$dir/kustomize.version"
