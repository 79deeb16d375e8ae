#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# By whom the sampler counts what processes have of its tables: with cgroups of version 1, of both versions,
# of version 2 alone, and of version 2 as a container sees them. All in one virtual machine (users/init).
#   users.sh BUILD_DIRECTORY [SUITE...]     suites whose kernel is taken; default: bookworm trixie
set -eu
. "$(dirname "$0")/guest.sh"
. "$here/root.sh"

make_root "$work/root" "$build/tests/guest/shares"
cp "$here/users/init" "$here/first.sh" "$here/interruptible.py" "$here/work.py" "$here/stacks.py" \
    "$work/root/"
chmod 755 "$work/root/init"
pack "$work/root" >"$work/initramfs"
limit=5400 # four stages, in each of which the tree must be full after 900 seconds (users/init)
judge_each users ${*:-bookworm trixie}
