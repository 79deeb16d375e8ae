#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The image of deploy/Dockerfile without a registry, a daemon or root: the binary, the libraries it needs as
# they are on this machine, and the certificates for --push. `ctr image import`, `docker load` and `podman
# load` take the archive.
#   image.sh BINARY NAME:TAG OUT.tar      an archive in the form of `docker save`
#   image.sh --root BINARY DIR            only its files, into DIR
set -eu

# Where the dynamic linker finds each library is where it must be in the image; the linker itself has no "=>".
fill_root() {
    binary=$1 root=$2
    mkdir -p "$root/usr/bin" "$root/tmp" "$root/etc"
    cp "$binary" "$root/usr/bin/pyperf-bpf"
    chmod 755 "$root/usr/bin/pyperf-bpf"
    ldd "$binary" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' | sort -u |
    while read -r library; do
        mkdir -p "$root$(dirname "$library")"
        cp -L "$library" "$root$library"
    done
    if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
        mkdir -p "$root/etc/ssl/certs"
        cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
    fi
    echo "root:x:0:0:root:/:/sbin/nologin" >"$root/etc/passwd"
}

# The same files give the same archive, to the byte.
pack() {
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX -C "$1" -cf "$2" $3
}

hash() {
    sha256sum "$1" | cut -d' ' -f1
}

if [ "${1:-}" = --root ] && [ $# = 3 ]; then
    fill_root "$2" "$3"
    exit
fi
if [ $# != 3 ]; then
    echo "usage: image.sh BINARY NAME:TAG OUT.tar, or image.sh --root BINARY DIR" >&2
    exit 2
fi
binary=$1 name=$2 out=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM  # without it, dash runs no trap of EXIT
mkdir "$work/root" "$work/image"
fill_root "$binary" "$work/root"
pack "$work/root" "$work/image/layer.tar" .

case $(uname -m) in
    aarch64) architecture=arm64 ;;
    *) architecture=amd64 ;;
esac
printf '{"architecture":"%s","os":"linux",%s,"rootfs":{"type":"layers","diff_ids":["sha256:%s"]},%s}' \
    "$architecture" '"config":{"User":"0","WorkingDir":"/","Entrypoint":["/usr/bin/pyperf-bpf"]}' \
    "$(hash "$work/image/layer.tar")" '"history":[{"created_by":"deploy/image.sh"}]' >"$work/config"
config=$(hash "$work/config").json
mv "$work/config" "$work/image/$config"
printf '[{"Config":"%s","RepoTags":["%s"],"Layers":["layer.tar"]}]' "$config" "$name" \
    >"$work/image/manifest.json"
pack "$work/image" "$out" "manifest.json $config layer.tar"
