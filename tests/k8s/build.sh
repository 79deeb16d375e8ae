#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds the programs of a Kubernetes node from the Go module proxy into DIR (about 400 MB, some minutes,
# once). The module k8s.io/kubernetes lacks its staging folder; the libraries in it are modules of their own
# with the same number.
#   build.sh DIR
set -eu
. "$(dirname "$0")/go.sh"
version=1.36.3
dir=$1
programs="kubelet kube-apiserver kube-controller-manager kube-scheduler kubectl"

complete() {
    for program in $programs; do
        [ -x "$dir/$program" ] || return 1
    done
    [ "$(cat "$dir/version" 2>/dev/null)" = "$version" ]
}
complete && exit 0

work=$(mktemp -d "${TMPDIR:-/tmp}/k8s-build.XXXXXX")
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT
# A module cache and a build cache of their own: they are three gigabytes and go away with the folder.
export GOMODCACHE="$work/modules" GOCACHE="$work/cache" GOTOOLCHAIN=auto CGO_ENABLED=0
export GOFLAGS="-buildvcs=false -mod=mod -modcacherw"
mkdir -p "$dir"
newer_go 1.26.0
go mod download "k8s.io/kubernetes@v$version"
cp -r "$GOMODCACHE/k8s.io/kubernetes@v$version" "$work/source"
chmod -R u+w "$work/source"
cd "$work/source"
rm -rf vendor staging go.work go.work.sum
sed -i -E "s#=> \./staging/src/(k8s\.io/[a-z-]+)\$#=> \1 v0.${version#1.}#" go.mod

# The servers refuse to work with one another when they do not know their version.
stamp="-s -w"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    stamp="$stamp -X $package.gitVersion=v$version -X $package.gitMajor=1 -X $package.gitMinor=36"
done
rm -f "$dir/version"
for program in $programs; do
    go build -trimpath -ldflags "$stamp" -o "$work/bin/$program" "./cmd/$program"
    mv "$work/bin/$program" "$dir/$program"
done
echo "$version" >"$dir/version"
