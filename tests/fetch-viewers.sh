#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Fetches the viewers of tests/viewers.txt from npm into DIR, once each: fetch-viewers.sh DIR. Every package
# is checked against its sum. One that cannot be had is left out, and the tests that want it are skipped.
set -eu
list=$(cd "$(dirname "$0")" && pwd)/viewers.txt
dir=$(mkdir -p "$1" && cd "$1" && pwd)
if ! command -v npm >/dev/null; then
    echo "SKIP viewers: npm is not installed" >&2
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM  # without it, dash runs no trap of EXIT
cd "$work"
grep -v '^#' "$list" | while read -r package name sum; do
    [ "$(cat "$dir/$name/.sum" 2>/dev/null)" != "$sum" ] || continue
    if archive=$(npm pack --silent "$package") && echo "$sum  $archive" | sha512sum --check --quiet; then
        rm -rf "$dir/$name"
        mkdir "$dir/$name"
        tar xzf "$archive" -C "$dir/$name" --strip-components 1
        echo "$sum" >"$dir/$name/.sum"
    else
        echo "SKIP viewers: npm does not have $package" >&2
    fi
done
