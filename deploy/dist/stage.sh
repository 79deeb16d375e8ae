#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Everything that the packages of one architecture hold, in one folder:
# stage.sh BUILD PAGES VERSION STAGE [SYSROOT]
# BUILD has the binary and the linker's map; PAGES is the program that prints manual pages and completions.
# SYSROOT has the libraries, where they are not this machine's; $STRIP is the architecture's.
set -eu
build=$1 pages=$2 version=$3 stage=$4
sysroot=${5:-}
here=$(dirname "$0")
rm -rf "$stage"
mkdir -p "$stage/man" "$stage/completions"

cp LICENSE docs/CHANGELOG.md deploy/pyperf-bpf.conf deploy/kubernetes/kubectl-pyperf "$stage/"
sed 's|/usr/local/bin/|/usr/bin/|' deploy/pyperf-bpf.service >"$stage/pyperf-bpf.service"
"${STRIP:-strip}" -o "$stage/pyperf-bpf" "$build/pyperf-bpf"
"$pages" man >"$stage/man/pyperf-bpf.1"
"$pages" conf >"$stage/man/pyperf-bpf.conf.5"
"$pages" bash >"$stage/completions/pyperf-bpf.bash"
"$pages" zsh >"$stage/completions/_pyperf-bpf"
"$pages" fish >"$stage/completions/pyperf-bpf.fish"
parts() {
    python3 "$here/parts.py" "$1" "$build/pyperf-bpf.map" "$version" "$SOURCE_DATE_EPOCH" \
        ${sysroot:+"$sysroot"}
}
parts licences >"$stage/LICENCES.md"
parts sbom >"$stage/pyperf-bpf.cdx.json"
chmod -R u+rwX,go+rX,go-w "$stage"
chmod 755 "$stage/pyperf-bpf" "$stage/kubectl-pyperf"
