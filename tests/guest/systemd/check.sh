# SPDX-License-Identifier: GPL-2.0-only
# Leads pyperf-bpf.service through its life and notes in /run/out how things stand at each step; judge.py
# judges.
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
cat /proc/sys/kernel/perf_event_paranoid >paranoid
systemctl start work.service

note before
try start systemctl enable --now $unit
note started
wait_until 60 more_profiles started 3
note sampled

sed -i 's/^interval = .*/interval = 1/' $config
try reload systemctl reload $unit
note reloaded
wait_until 60 more_profiles reloaded 4

mkdir -p /run/systemd/system/$unit.d
printf '[Service]\nWatchdogSec=10\n' >/run/systemd/system/$unit.d/watchdog.conf
systemctl daemon-reload
try restart systemctl restart $unit
note watched
pid=$(main_pid)
kill -STOP "$pid"
wait_until 120 is_replaced "$pid"
note revived
wait_until 60 more_profiles revived 4

pid=$(main_pid)
kill -KILL "$pid"
wait_until 120 is_replaced "$pid"
note replaced
wait_until 60 more_profiles replaced 4

note stopping
try stop systemctl stop $unit
note stopped
systemctl --failed --no-legend >failed

echo 'interwal = 1' >>$config
try refused systemctl start $unit
note refused

cp -r /var/lib/private/pyperf-bpf profiles
stat -L -c '%a %u %n' $state $state/* >files
journalctl --sync
journalctl --no-pager -o json -u $unit >journal
try verify systemd-analyze verify --man=no $unit
try security systemd-analyze security --no-pager $unit
dmesg | grep -v "ommand line:" | grep -E "BUG:|WARNING:|Oops|stall|panic" >kernel
