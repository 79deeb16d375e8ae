# SPDX-License-Identifier: GPL-2.0-only
# Leads pyperf-bpf.service through its life and notes in /run/out how things stand at each step; judge.py
# judges.
. /usr/local/lib/guest/steps.sh
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
printf '[Service]\nWatchdogSec=30\n' >/run/systemd/system/$unit.d/watchdog.conf
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

systemctl start throttled.service
try quota pyperf-bpf -a --comm python3 -d 20 --event cpu,offcpu -o quota.pb.gz
try findings pyperf-bpf report --findings --json quota.pb.gz
systemctl stop throttled.service
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
