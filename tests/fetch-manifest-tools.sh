#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds kustomize and helm from the Go module proxy into DIR, once: Debian 12's kubectl is too old to render
# deploy/kubernetes, and it has no helm. These versions are the newest that Debian 12's Go can build.
#   fetch-manifest-tools.sh DIR
set -eu
dir=$(mkdir -p "$1" && cd "$1" && pwd)

# NAME PACKAGE VERSION
fetch() {
    [ "$(cat "$dir/$1.version" 2>/dev/null)" != "$3" ] || return 0
    GOFLAGS=-mod=mod CGO_ENABLED=0 GOBIN="$dir" go install -trimpath -ldflags "-s -w" "$2@$3" 2>/dev/null || {
        echo "SKIP $1: it cannot be built from the Go module proxy here" >&2
        return 0
    }
    echo "$3" >"$dir/$1.version"
}

fetch kustomize sigs.k8s.io/kustomize/kustomize/v5 v5.0.3
fetch helm helm.sh/helm/v3/cmd/helm v3.13.3
