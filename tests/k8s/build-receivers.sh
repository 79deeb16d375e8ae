#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds Parca and Pyroscope from the Go module proxy into DIR (some minutes, once), without their user
# interfaces, which are not in the modules. What cannot be built is said; its tests are then skipped.
#   build-receivers.sh DIR
set -eu
. "$(dirname "$0")/go.sh"
dir=$(mkdir -p "$1" && cd "$1" && pwd)
parca=0.21.0 pyroscope=1.0.0 pyroscope_api=0.2.0

is_there() {
    [ -x "$dir/$1" ] && [ "$(cat "$dir/$1.version" 2>/dev/null)" = "$2" ]
}

# MODULE VERSION NAME: the source into the folder NAME. Each step by &&, since -e is off where a failure is
# asked about.
unpack() {
    go mod download "$1@v$2" && cp -r "$GOMODCACHE/$1@v$2" "$work/$3" && chmod -R u+w "$work/$3" &&
        cd "$work/$3"
}

build() {
    go build -trimpath -ldflags "-s -w" -o "$work/bin/$1" "./cmd/$1" 2>"$work/log" ||
        { tail -n 20 "$work/log"; return 1; }
    mv "$work/bin/$1" "$dir/$1" && echo "$2" >"$dir/$1.version"
}

build_parca() {
    unpack github.com/parca-dev/parca "$parca" parca && build parca "$parca"
}

# Its API is a folder of the same repository, and a module of its own.
build_pyroscope() {
    api=github.com/grafana/pyroscope/api
    unpack github.com/grafana/pyroscope "$pyroscope" pyroscope &&
        go mod edit -replace "$api=$api@v$pyroscope_api" &&
        build pyroscope "$pyroscope"
}

is_there parca "$parca" && is_there pyroscope "$pyroscope" && exit 0
work=$(mktemp -d "${TMPDIR:-/tmp}/receivers-build.XXXXXX")
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
export GOMODCACHE="$work/modules" GOCACHE="$work/cache" GOWORK=off CGO_ENABLED=0
# Of their time: libraries of theirs reach into the runtime, which newer ones refuse.
export GOTOOLCHAIN=go1.21.13
export GOFLAGS="-buildvcs=false -mod=mod -modcacherw"
newer_go 1.21.13
is_there parca "$parca" || build_parca || echo "SKIP Parca: it cannot be built from the Go module proxy here"
is_there pyroscope "$pyroscope" || build_pyroscope ||
    echo "SKIP Pyroscope: it cannot be built from the Go module proxy here"
