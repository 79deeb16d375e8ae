# SPDX-License-Identifier: GPL-2.0-only
# What check.sh and deb.sh have in common, for them to source: how things stand at a step goes to /run/out.
unit=pyperf-bpf.service
state=/var/lib/pyperf-bpf
config=/etc/pyperf-bpf/pyperf-bpf.conf
mkdir -p /run/out
cd /run/out || exit
exec 2>trace
set -x

main_pid() {
    systemctl show -P MainPID $unit
}

# try NAME COMMAND...: what it says and its exit code
try() {
    name=$1
    shift
    "$@" >"$name.out" 2>&1
    echo $? >"$name.code"
}

# note STEP: as things are now
note() {
    mkdir "$1"
    systemctl show $unit >"$1/unit"
    cat "/proc/$(main_pid)/status" >"$1/status"
    cat /sys/fs/cgroup/system.slice/$unit/cgroup.procs >"$1/processes"
    # Of the zygote, the worker and the parser.
    grep -vx "$(main_pid)" "$1/processes" | sed 's|.*|/proc/&/status|' | xargs -r cat >"$1/others"
    bpftool -j prog show >"$1/programs"
    ls $state/ >"$1/profiles"
}

# wait_until SECONDS COMMAND...: until it succeeds
wait_until() {
    left=$1
    shift
    until "$@"; do
        left=$((left - 1))
        [ $left -gt 0 ] || return 1
        sleep 1
    done
}

# more_profiles STEP COUNT: that many more than were there then
more_profiles() {
    [ "$(ls $state/ | wc -l)" -ge $(($(wc -l <"$1/profiles") + $2)) ]
}

# is_replaced PID: by another process, which is ready
is_replaced() {
    [ "$(main_pid)" != "$1" ] && [ "$(systemctl show -P ActiveState $unit)" = active ]
}

uname -r >release
systemctl --version | head -n 1 >systemd
