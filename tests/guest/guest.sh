# SPDX-License-Identifier: GPL-2.0-only
# What the guests have in common, for the scripts beside it to source: kernels of distributions under QEMU,
# without KVM. Expects $machine if it is not amd64 but arm64. The first argument of a script becomes $build;
# the others stay arguments. Gives $here, $top (the project, to which it goes), $cache, $work (removed at the
# end) and $out (what the last guest sent back). A guest has $cpus, or 2, CPUs, and $limit, or 1800, seconds.
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cd "$top"
build=${1:-build}
[ $# = 0 ] || shift
machine=${machine:-amd64}
cache=${PYPERF_CACHE:-$top/.cache}/guest
mkdir -p "$cache"
work=$(mktemp -d "${TMPDIR:-/tmp}/guest.XXXXXX")
out=$work/out
qemu=
trap 'kill $qemu 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
. "$top/tests/guest/ubuntu.sh"
[ "$(uname -m)" = x86_64 ] || { echo "SKIP guest: x86-64 only"; exit 0; }

# need PACKAGE...: installs those that are missing
need() {
    missing=
    for package; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    sh "$top/deploy/apt.sh" update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive sh "$top/deploy/apt.sh" install -y -qq --no-install-recommends $missing
}

# The mirror of Debian that this system uses.
mirror() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/*$' | head -n 1
}

# apt-get and apt-cache of SUITE for the guest's machine: $options for them, which leave this system's own
# lists as they are, and $apt, their folder.
open_suite() {
    apt=$work/apt-$1
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/packages"
    if is_ubuntu "$1"; then
        ubuntu_source "$1" "$apt" >"$apt/sources.list"
    else
        trust="check-valid-until=no signed-by=/usr/share/keyrings/debian-archive-keyring.gpg"
        echo "deb [$trust] $(mirror) $1 main" >"$apt/sources.list"
    fi
    : >"$apt/status"
    options="-o APT::Architecture=$machine -o APT::Architectures=$machine
             -o Dir::Etc::sourcelist=$apt/sources.list -o Dir::Etc::sourceparts=-
             -o Dir::State::lists=$apt/lists -o Dir::State::status=$apt/status -o Dir::Cache=$apt/cache
             -o APT::Sandbox::User=root"
    # shellcheck disable=SC2086
    apt-get -qq $options update
}

# The image of the kernel that Debian has for clouds now, or Ubuntu for virtual machines, into the cache.
fetch_kernel() {
    open_suite "$1"
    kernel=linux-image-cloud-$machine
    ! is_ubuntu "$1" || kernel=linux-image-virtual
    # shellcheck disable=SC2086
    image=$(apt-cache $options depends "$kernel" |
        sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p')
    # Newer ones keep it in a package of its own.
    # shellcheck disable=SC2086
    (cd "$apt/packages" && { apt-get -qq $options download "linux-binary-${image#linux-image-}" 2>/dev/null ||
        apt-get -qq $options download "$image"; })
    dpkg-deb -x "$apt"/packages/*.deb "$apt/tree"
    find "$apt/tree" -name 'vmlinuz*' -exec mv {} "$cache/$machine-$1" \;
    rm -rf "$apt"
}

# pack DIR: its files as an initramfs; several in a row are one.
pack() {
    (cd "$1" && find . | cpio -o -H newc --quiet)
}

# boot SUITE MEMORY FIRST_PROCESS [KERNEL_PARAMETER...]: with $work/initramfs, until it powers off. What it
# writes to its second serial port, $SENT to its first process, a tar archive in base64, is unpacked into
# $out. KEEP=DIR: a copy of that, and of the console, stays there. Without what QEMU 7.2 emulates badly: with
# cmpxchg16b (cx16) Linux 6.12 dies in kmalloc(). Newer ones need it for timers.
boot() {
    suite=$1 memory=$2 first=$3
    shift 3
    [ -s "$cache/$machine-$suite" ] || fetch_kernel "$suite"
    rm -f "$work/console" "$work/serial" # of the guest before: if QEMU does not start they would be judged
    if [ "$machine" = arm64 ]; then
        # That of a common cloud, with atomic instructions; what it has besides the UART is on PCI.
        emulator="qemu-system-aarch64 -M virt -cpu neoverse-n1 -serial file:$work/console
              -chardev file,id=sent,path=$work/serial -device pci-serial,chardev=sent"
        parameters="console=ttyAMA0 SENT=/dev/ttyS0"
    else
        cpu=Haswell-noTSX,-pcid,-invpcid,-tsc-deadline
        [ "$suite" != trixie ] || cpu=$cpu,-cx16
        emulator="qemu-system-x86_64 -cpu $cpu -serial file:$work/console -serial file:$work/serial"
        # The kernel tries its timer for some milliseconds, in which a busy machine may give QEMU no CPU.
        parameters="console=ttyS0 SENT=/dev/ttyS1 no_timer_check"
    fi
    # shellcheck disable=SC2086
    timeout "${limit:-1800}" nice $emulator -accel tcg,thread=multi -smp "${cpus:-2}" -m "$memory" \
        -kernel "$cache/$machine-$suite" -initrd "$work/initramfs" \
        -append "$parameters panic=-1 quiet rdinit=$first $*" -no-reboot \
        -nographic -monitor none -nic none </dev/null >"$work/qemu" 2>&1 &
    qemu=$!
    wait "$qemu" || true
    qemu=
    rm -rf "$out"
    mkdir "$out"
    sent=0
    base64 -di "$work/serial" 2>/dev/null | tar -C "$out" -xzf - 2>/dev/null || sent=1
    if [ -n "${KEEP:-}" ]; then
        kept=$KEEP/$(basename "$0" .sh)-$machine-$suite
        mkdir -p "$kept"
        cp -r "$out/." "$work/console" "$kept/"
    fi
    [ $sent = 0 ] && return
    echo "FAIL $suite: the guest sent nothing back; the end of its console:"
    tail -n 20 "$work/qemu" "$work/console"
    echo "0 passed, 1 failed, 0 skipped"
    return 1
}

# judge_each FOLDER SUITE...: boots each, with FOLDER/judge.py for what it sent back, and ends the script
judge_each() {
    judge=$here/$1/judge.py status=0
    shift
    for one; do
        { boot "$one" 1024 /init && /usr/bin/python3 "$judge" "$out"; } || status=1
    done
    exit $status
}
