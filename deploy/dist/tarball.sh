#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A tarball of all that was staged: tarball.sh STAGE NAME OUT
set -eu
stage=$1 name=$2
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --transform "s|^\.|$name|" \
    -C "$stage" -cf - . | gzip -9n >"$3/$name.tar.gz"
