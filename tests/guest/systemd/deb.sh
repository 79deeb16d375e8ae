# SPDX-License-Identifier: GPL-2.0-only
# Leads the package of Debian through its life and notes in /run/out how things stand at each step;
# judge_deb.py judges.
. /usr/local/lib/guest/steps.sh

# All files but those that the package manager keeps. What is mounted is not entered.
files() {
    set -- -path /var/lib/dpkg -o -path /var/log -o -path /tmp -o -path /var/tmp
    find / -xdev \( "$@" \) -prune -o -print | sort
}

systemctl start work.service
files >files.before

try install dpkg -i /root/before.deb
try enabled systemctl is-enabled $unit
note installed

sed -i 's/^interval = .*/interval = 3/' $config
try start systemctl enable --now $unit
note started
wait_until 60 more_profiles started 3
note sampled
try running.before "/proc/$(main_pid)/exe" --version

pid=$(main_pid)
try upgrade dpkg -i /root/now.deb
wait_until 120 is_replaced "$pid"
note upgraded
try running.now "/proc/$(main_pid)/exe" --version
cp $config config
wait_until 60 more_profiles upgraded 3
note sampled_again
cp -r /var/lib/private/pyperf-bpf profiles

try remove dpkg --remove pyperf-bpf
note removed
ls $config /usr/bin/pyperf-bpf >left 2>/dev/null
try purge dpkg --purge pyperf-bpf
note purged
files >files.after
systemctl --failed --no-legend >failed
