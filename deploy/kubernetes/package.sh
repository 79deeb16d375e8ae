#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The chart as an archive for helm install, without helm, whose own are never the same twice. The links of
# files/ are followed. The same files give the same archive, to the byte.
#   package.sh OUT.tgz
set -eu
out=$1
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -rL "$folder/chart" "$work/pyperf-bpf"
tar --sort=name --mtime="@${SOURCE_DATE_EPOCH:-0}" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
    -C "$work" -cf - pyperf-bpf | gzip -9n >"$out"
