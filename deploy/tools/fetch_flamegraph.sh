#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Fetches what third-party.txt names from npm into DIR: fetch_flamegraph.sh DIR. Every package is checked
# against its sum.
set -eu
list=$(cd "$(dirname "$0")/../.." && pwd)/user/http/page/third-party.txt
mkdir -p "$1"
dir=$(cd "$1" && pwd)
[ "$dir/.done" -nt "$list" ] && exit 0
if ! command -v npm >/dev/null; then
    echo "fetch_flamegraph.sh: npm is not installed; without it the page has no flame graph" >&2
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
grep -v '^#' "$list" | while read -r package file name sum; do
    archive=$(npm pack --silent "$package")
    echo "$sum  $archive" | sha512sum --check --quiet
    tar xzf "$archive" -O "package/$file" > "$dir/$name"
done
touch "$dir/.done"
