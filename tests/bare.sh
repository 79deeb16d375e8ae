#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The two commands of README.md on a bare Debian 12: make check-bare, and CI. With ALL=1
# then make check-rest, so that all of make check-all has run.
#   bare.sh [--here] [COMMAND...]    default: those commands. With COMMAND only that runs there (sh -c)
#
# A bare Debian is debootstrap's smallest one with only `make` added, in a directory that becomes the root of
# a mount namespace of its own, so that programs inside find a real root: one that is a mount point. HEAD of
# this repository is cloned into it; what is not committed is not there. The kernel, the network and the
# machine's processes are the host's. From the host come as well: how it reaches the package registries, and
# for make check-rest, and for a COMMAND, the interpreters of pyenv, read-only. Where such a root cannot be
# made, or with --here, the commands run in this directory.
#
# The fresh Debian stays in .cache/bare for the next run. KEEP=1 keeps the used root and says where it is.
# REQUIRE: see tests/check.sh.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
suite=bookworm
cache=${PYPERF_CACHE:-$top/.cache}/bare
home=${HOME:-/root}
pyenv=${PYENV_ROOT:-$home/.pyenv}

say() {
    echo "check-bare: $*"
}

# Runs a command with nothing to read; prints how long it took, and returns what it returned.
timed() {
    began=$(date +%s)
    code=0
    "$@" </dev/null || code=$?
    took=$(($(date +%s) - began))
    say "\`$*\` took $((took / 60)) min $((took % 60)) s, exit code $code"
    return $code
}

# The two commands, in a clone. The demo is started only where no other Python is busy: a machine where one is
# must show it all the same.
readme() {
    timed make run || return 1
    if ! /usr/bin/python3 tests/lib/demo_samples.py profile.pb.gz; then
        say "other Python programs are busy here: once more with the demo beside them"
        timed env DEMO=1 make run || return 1
        /usr/bin/python3 tests/lib/demo_samples.py profile.pb.gz || return 1
    fi
    timed make check
}

# Why no bare Debian can be made here, or nothing.
refusal() {
    [ "$(id -u)" = 0 ] || { echo "that needs root"; return; }
    command -v apt-get >/dev/null || { echo "this is no Debian, there is no apt-get"; return; }
    unshare --mount true 2>/dev/null || { echo "no mount namespace can be made"; return; }
    command -v debootstrap >/dev/null || {
        sh "$top/deploy/apt.sh" update -qq &&
            DEBIAN_FRONTEND=noninteractive \
                sh "$top/deploy/apt.sh" install -y -qq --no-install-recommends debootstrap
    } >/dev/null 2>&1 || { echo "there is no debootstrap"; return; }
    git -C "$top" rev-parse -q --verify HEAD >/dev/null 2>&1 ||
        { echo "this is no clone of the repository"; return; }
    make_base || echo "debootstrap failed, see $cache/log"
}

# The archive of Debian that this machine uses.
mirror() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/*$' | head -n 1
}

# The fresh Debian, in $cache/$suite once it is complete.
make_base() {
    [ -d "$cache/$suite" ] && return
    mkdir -p "$cache"
    rm -rf "$cache/new"
    [ -n "$(mirror)" ] || sh "$top/deploy/apt.sh" update -qq
    debootstrap --variant=minbase --include=make "$suite" "$cache/new" "$(mirror)" >"$cache/log" 2>&1 ||
        return 1
    rm -rf "$cache/new/var/cache/apt/archives"/*.deb
    mv "$cache/new" "$cache/$suite"
}

# What this machine knows of the registries. Certificates also go to where Debian's own package looks for
# those of the place, for it writes its list of all anew when it is installed.
copy_settings() {
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io" # as in Debian's own images of containers
    rm -rf "$root/etc/apt"
    cp -a /etc/apt /etc/hosts "$root/etc/"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf"
    [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
    mkdir -p "$root/etc/ssl/certs" "$root/usr/local/share/ca-certificates" "$root/root/.config"
    [ ! -e /etc/ssl/certs/ca-certificates.crt ] ||
        cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
    [ ! -d /usr/local/share/ca-certificates ] ||
        cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    for file in .npmrc .config/pip .config/go/env .m2/settings.xml; do
        [ -e "$home/$file" ] || continue
        mkdir -p "$(dirname "$root/root/$file")"
        cp -r "$home/$file" "$root/root/$file"
    done
}

# Only variables that say how to reach a registry, and those of these scripts.
environment() {
    env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p' | sort -u |
        grep -vx PIP_FIND_LINKS |
        grep -iE -e '^(PIP_.*|npm_config_.*|MAVEN_OPTS|CI|REQUIRE|TERM)$|proxy$|_CA_|CERT' \
            -e '^GO(PROXY|SUMDB|NOSUMDB|PRIVATE|FLAGS|TOOLCHAIN|INSECURE)$'
}

# Becomes the first command of the namespace: makes $root its root and runs COMMAND there.
enter='
root=$1 pyenv=$2
shift 2
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount --rbind /sys sys
mount --rbind /dev dev
mount -t tmpfs -o mode=755 tmpfs run
mkdir -p run/lock
if [ -d "$pyenv/versions" ]; then
    mkdir -p root/.pyenv
    mount --bind -o ro "$pyenv" root/.pyenv
fi
mkdir -p .host
pivot_root . .host
cd /
umount -l .host
rmdir .host
cd /root/pyperf-bpf
exec "$@"'

# in_root COMMAND [ARGUMENT...]
in_root() {
    for name in $(environment); do
        eval "value=\$$name"
        # shellcheck disable=SC2154
        set -- "$name=$value" "$@"
    done
    set -- env -i HOME=/root LANG=C.UTF-8 \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
    unshare --mount sh -euc "$enter" sh "$root" "$pyenv" "$@"
}

umask 022
here=
[ "${1:-}" != --here ] || { here=1; shift; }
if [ -z "$here" ]; then
    why=$(refusal)
    if [ -n "$why" ]; then
        say "no bare Debian can be made: $why. The commands run on this machine as it is."
        here=1
    fi
fi
if [ -n "$here" ]; then
    cd "$top"
    case "$*" in
    "") readme && { [ -z "${ALL:-}" ] || timed make check-rest; } ;;
    readme) readme ;;
    *) sh -c "$*" ;;
    esac
    exit
fi

root=$(mktemp -d "$cache/root.XXXXXX")
trap '[ -n "${KEEP:-}" ] && say "kept: $root" || rm -rf "$root"' EXIT
trap 'exit 1' INT TERM
chmod 755 "$root"
cp -a "$cache/$suite/." "$root/"
copy_settings
git clone -q --no-hardlinks "$top" "$root/root/pyperf-bpf"
if [ $# = 0 ]; then
    given_pyenv=$pyenv
    pyenv=/nonexistent
    in_root sh tests/bare.sh --here readme
    pyenv=$given_pyenv
    [ -z "${ALL:-}" ] || timed in_root make check-rest
else
    in_root sh tests/bare.sh --here "$@"
fi
