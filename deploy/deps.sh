#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Installs what is missing on Debian: deps.sh build | units | fuzz | check | test | long | arm64 | dist, each
# with what build installs; units is what unit tests are compiled with, check what "make check" needs, test
# what "make check-all" does, and long has all of that. arm64 is for "make check-arm64", dist for "make dist".
#   deps.sh packages NAME...      of these packages those that are missing
# Needs root only when something is missing.
set -eu
top=$(dirname "$0")/..
list="gcc make libc6-dev linux-libc-dev clang-19 bpftool libbpf-dev libelf-dev libdw-dev zlib1g-dev
      uthash-dev libmicrohttpd-dev libcurl4-gnutls-dev
      libjson-c-dev libiberty-dev liblzma-dev libpcre2-dev python3"
of_units="libcmocka-dev protobuf-c-compiler libprotobuf-c-dev"
for_what=${1:-build}
case $for_what in
packages) shift; list=$* ;;
fuzz) list="$list libclang-rt-19-dev" ;;
dist)
    list="$list libgcc-12-dev binutils dpkg-dev rpm debootstrap lintian mandoc python3-venv"
    [ "$(uname -m)" != x86_64 ] || list="$list gcc-aarch64-linux-gnu"
    ;;
units | check | test | long) list="$list $of_units clang-format-19 python3-venv" ;;
esac
case $for_what in
long) list="$list musl-tools" ;;
arm64) list="$list $of_units gcc-aarch64-linux-gnu qemu-user" ;;
esac

# Whether apt's lists are there, and of the last hour.
lists_are_new() {
    eval "$(apt-config shell lists Dir::State::lists/d)"
    # shellcheck disable=SC2154
    [ -n "$(find "${lists}partial" -maxdepth 0 -mmin -60)" ] && ls "$lists"*_Packages* >/dev/null 2>&1
}

apt_install() {
    # shellcheck disable=SC2086
    sh "$top/deploy/apt.sh" install -y -qq --no-install-recommends $missing
}

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
    { lists_are_new && apt_install; } || { sh "$top/deploy/apt.sh" update -qq && apt_install; }
fi

case $for_what in
check | test | long)
    # Not of the make that may have called: what waits for a registry needs no CPU.
    MAKEFLAGS='' make -C "$top" -skj8 --output-sync=target --no-print-directory -f tests/install.mk \
        FOR="$for_what" || {
        echo "deps.sh: not all of that could be installed" >&2
        exit 1
    }
    ;;
esac
