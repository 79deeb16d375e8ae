#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Headers and libraries of arm64, for the cross compiler: sysroot.sh FOLDER. They are Debian's packages,
# unpacked: nothing is installed, this system stays of one architecture. FOLDER/packages has their versions.
# It is what deploy/deps.sh and the tests link with, and all that wants. A FOLDER that has it is left alone.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

wanted() {
    sed -n '/^list="/,/"$/p' "$here/../deps.sh" | tr ' "' '\n\n' | grep -E '^(lib.*|uthash)-dev$'
    printf "%s\n" libcmocka-dev libprotobuf-c-dev
}

if [ "$(wanted)" = "$(cat "$1/.done" 2>/dev/null)" ] && [ -s "$1/packages" ]; then
    exit 0
fi
rm -rf "$1"
apt=$1/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
apt=$(cd "$apt" && pwd)
# Lists, status and cache of their own.
sh "$here/sources.sh" deb >"$apt/sources.list"
: >"$apt/status"
options="-qq -o APT::Architecture=arm64 -o APT::Architectures=arm64
     -o Dir::Etc::sourcelist=$apt/sources.list
     -o Dir::Etc::sourceparts=- -o Dir::Cache=$apt/cache -o Dir::State::lists=$apt/lists
     -o Dir::State::status=$apt/status -o APT::Sandbox::User=root"
# shellcheck disable=SC2086
apt-get $options update
# shellcheck disable=SC2046,SC2086
apt-get $options install -y --download-only --no-install-recommends $(wanted) >/dev/null
for package in "$apt"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$1"
    # shellcheck disable=SC2016
    dpkg-deb --show --showformat '${Package} ${Version}\n' "$package"
done >"$1/packages"
rm -rf "$apt"
wanted >"$1/.done"
