#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# deploy/pyperf-bpf.service as `make install` installs it, under a real systemd, on Debian's kernel of which
# kernel.perf_event_paranoid is 3 and which has BPF timers.
#   systemd.sh BUILD_DIRECTORY              needs root
set -eu
. "$(dirname "$0")/guest.sh"
. "$here/debian.sh"

make --no-print-directory -s install O="$build" DESTDIR="$work/root"
fill_root "$work/root" check.sh
# Profiles at the pace of a test.
sed -i 's/^interval = .*/interval = 3/' "$work/root/etc/pyperf-bpf/pyperf-bpf.conf"
boot_debian "$work/root"
/usr/bin/python3 "$here/systemd/judge.py" "$out"
