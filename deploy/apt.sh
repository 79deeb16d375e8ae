#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# apt-get that waits for another one, such as Debian's unattended-upgrades after a boot: apt.sh COMMAND...
# At most five minutes. apt-get waits for dpkg's lock by itself if it is told to, and never for those of lists
# and of archives. What it says on stdout is dropped.
set -eu
seconds=300
end=$(($(date +%s) + seconds))
waits=
export LC_ALL=C
until said=$(apt-get -o DPkg::Lock::Timeout=$seconds "$@" 2>&1 >/dev/null); do
    case $said in
    *"Could not get lock"*) ;;
    *) end=0 ;;
    esac
    if [ "$(date +%s)" -ge "$end" ]; then
        echo "$said" >&2
        exit 1
    fi
    [ -n "$waits" ] || echo "waiting for another apt: $(echo "$said" | grep -m 1 'Could not get lock')" >&2
    waits=yes
    sleep 1
done
[ -z "$said" ] || echo "$said" >&2
