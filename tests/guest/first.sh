# SPDX-License-Identifier: GPL-2.0-only
# What the first processes of guests have in common, for them to source. /out is what is sent at the end.
/bin/busybox --install -s /bin
export PATH=/bin:/usr/bin
mkdir -p /proc /dev /sys /tmp /out
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tmpfs none /out

# Sends what there is out of the second serial port, as a tar archive in base64, and ends.
finish() {
    dmesg | grep -v "ommand line:" | grep -E "BUG:|WARNING:|Oops|stall|panic" >/out/kernel
    tar -C /out -cf - . | gzip | base64 >"$SENT"
    sync
    poweroff -f
}

# Hundredths of a second that a process has had a CPU.
used_by() {
    awk '{ print $14 + $15 }' "/proc/$1/stat"
}

# await FILE TEXT PID: until the text is in the file; not when the process has ended
await() {
    until grep -qs "$2" "$1"; do
        kill -0 "$3" 2>/dev/null || return 1
        sleep 0.2
    done
}

uname -r >/out/release
