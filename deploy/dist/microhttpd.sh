#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# libmicrohttpd without TLS, from the source of Debian's package: microhttpd.sh FOLDER [TRIPLET SYSROOT]
# FOLDER gets libmicrohttpd.a, microhttpd.h and `version`. With TRIPLET (aarch64-linux-gnu) it is cross-built.
#
# Debian's own libmicrohttpd.a wants GnuTLS, and that some ten more libraries. The profiler serves plain HTTP.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)
triplet=${2:-} sysroot=${3:+$(cd "$3" && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Lists of source packages, kept apart from this system's own.
mkdir -p lists/partial
sh "$here/sources.sh" deb-src >sources.list
apt="apt-get -qq -o Dir::Etc::sourcelist=$work/sources.list -o Dir::Etc::sourceparts=-
     -o Dir::State::lists=$work/lists -o APT::Sandbox::User=root"
$apt update
$apt source libmicrohttpd >/dev/null 2>&1 || {
    echo "microhttpd.sh: Debian's source of libmicrohttpd cannot be had: no deb-src beside its packages?" >&2
    exit 1
}
version=$(sed -n 's/^Version: //p' ./*.dsc | head -n 1)
cd libmicrohttpd-*/
flags="${sysroot:+--sysroot=$sysroot} -O2 -fPIE -fstack-protector-strong -D_FORTIFY_SOURCE=2"
flags="$flags -ffile-prefix-map=$work=."
./configure -q ${triplet:+--host="$triplet"} --disable-https --disable-shared --enable-static --disable-doc \
    --disable-examples --disable-curl --disable-tools --disable-dauth \
    LDFLAGS="${sysroot:+--sysroot=$sysroot}" \
    CFLAGS="$flags" \
    >configure.log 2>&1 || { tail -n 20 configure.log >&2; exit 1; }
make -s -C src/microhttpd libmicrohttpd.la >make.log 2>&1 || { tail -n 20 make.log >&2; exit 1; }
cp src/microhttpd/.libs/libmicrohttpd.a src/include/microhttpd.h "$folder/"
echo "$version" >"$folder/version"
