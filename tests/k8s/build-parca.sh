#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds Parca from the Go module proxy into DIR/parca (125 MB, some minutes, once), without its user interface, which is
# not in the module.
#   build-parca.sh DIR
set -eu
version=0.21.0
dir=$1
[ -x "$dir/parca" ] && [ "$(cat "$dir/parca.version" 2>/dev/null)" = "$version" ] && exit 0

work=$(mktemp -d "${TMPDIR:-/tmp}/parca-build.XXXXXX")
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
export GOMODCACHE="$work/modules" GOCACHE="$work/cache" GOTOOLCHAIN=auto CGO_ENABLED=0
export GOFLAGS="-buildvcs=false -mod=mod -modcacherw" GOWORK=off
mkdir -p "$dir"
go mod download "github.com/parca-dev/parca@v$version"
cp -r "$GOMODCACHE/github.com/parca-dev/parca@v$version" "$work/source"
chmod -R u+w "$work/source"
cd "$work/source"
# Newer linkers refuse a reference into the runtime that one of its libraries has; older ones do not know the option.
nocheck=
! go tool link -help 2>&1 | grep -q checklinkname || nocheck=-checklinkname=0
go build -trimpath -ldflags "-s -w $nocheck" -o "$work/parca" ./cmd/parca
mv "$work/parca" "$dir/parca"
echo "$version" >"$dir/parca.version"
