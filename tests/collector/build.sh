#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds the collector of main.go from the Go module proxy into DIR (two minutes, once): build.sh DIR. Where
# it cannot be built, DIR/why-not says why, and the tests are skipped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../k8s/go.sh"
dir=$(mkdir -p "$1" && cd "$1" && pwd)
wanted=$(cat "$here/go.mod" "$here/main.go" | sha256sum)
[ -x "$dir/collector" ] && [ "$(cat "$dir/of" 2>/dev/null)" = "$wanted" ] && exit 0
rm -f "$dir/collector" "$dir/why-not"
if ! command -v go >/dev/null; then
    echo "no go command (Debian package golang-go)" >"$dir/why-not"
    exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/collector-build.XXXXXX")
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
export GOMODCACHE="$work/modules" GOCACHE="$work/cache" GOWORK=off CGO_ENABLED=0
export GOFLAGS="-buildvcs=false -mod=mod -modcacherw"
mkdir "$work/source" # apart from the modules, which would be taken for its packages
cp "$here/go.mod" "$here/main.go" "$work/source"
cd "$work/source"
newer_go 1.26.0 >"$work/log" 2>&1 && go mod tidy >>"$work/log" 2>&1 &&
    go build -trimpath -ldflags "-s -w" -o "$dir/collector" . >>"$work/log" 2>&1 || {
    tail -n 20 "$work/log"
    echo "it cannot be built from the Go module proxy here: $(tail -n 1 "$work/log")" >"$dir/why-not"
    exit 0
}
echo "$wanted" >"$dir/of"
