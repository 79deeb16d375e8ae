#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The profiler on a machine of 128 CPUs, which are emulated, with up to 20,000 Python processes and as many
# distinct stacks as such a machine comes to (big/init). What was reached is printed.
#   big.sh BUILD_DIRECTORY [SUITE]          whose kernel is taken; default: trixie
# CPUS=N PROCESSES=N SECONDS_EACH=N: other numbers than 128, 20,000 and 60
set -eu
. "$(dirname "$0")/guest.sh"
. "$here/root.sh"
cpus=${CPUS:-128}

make_root "$work/root"
cp "$here/big/init" "$here/first.sh" "$here/interruptible.py" "$here/stacks.py" "$here/big/crowd.py" \
    "$work/root/"
chmod 755 "$work/root/init"
pack "$work/root" >"$work/initramfs"
limit=7200
boot "${1:-trixie}" 10240 /init "PROCESSES=${PROCESSES:-20000}" "SECONDS_EACH=${SECONDS_EACH:-60}"
/usr/bin/python3 "$here/big/judge.py" "$out" "$cpus"
