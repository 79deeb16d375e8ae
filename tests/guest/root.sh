# SPDX-License-Identifier: GPL-2.0-only
# What makes the root file system of a guest of this machine's own files, for the scripts beside it to source.
# After guest.sh.

# Libraries go where this machine's loader finds them.
# add_program PROGRAM ROOT
add_program() {
    cp -L "$1" "$2/usr/bin/"
    ldd "$1" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | while read -r library; do
        mkdir -p "$2$(dirname "$library")"
        cp -L "$library" "$2$library"
    done
}

# The profiler, Python 3.11 with its standard library, busybox, and each PROGRAM.
# make_root ROOT PROGRAM...
make_root() {
    need qemu-system-x86 busybox-static cpio python3.11 util-linux
    root=$1
    shift
    sh deploy/image.sh --root "$build/pyperf-bpf" "$root"
    mkdir -p "$root/bin"
    cp -L "$(command -v busybox)" "$root/bin/busybox"
    for program in "$@" /usr/bin/setpriv /usr/bin/unshare /usr/bin/python3.11; do
        add_program "$program" "$root"
    done
    dpkg -L libpython3.11-minimal | sed -n "s|^/\(usr/lib/python3\)|\1|p" |
        tar -C / --no-recursion -cf - -T - | tar -C "$root" -xf -
}
