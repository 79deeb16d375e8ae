#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make run: ten seconds of every Python process. When none is busy, or with DEMO=1, it starts the demo that
# ships with the project. Where BPF is not to be had it samples the demo alone, from outside.
set -eu
bin=$1
python=/usr/bin/python3

# CPU ticks that all Python processes have used, by the names of their executables.
python_ticks() {
    sum=0
    for dir in /proc/[0-9]*; do
        case $(readlink "$dir/exe" 2>/dev/null) in
        *python*)
            used=$(sed 's/.*) //' "$dir/stat" 2>/dev/null | awk '{ print $12 + $13 }')
            sum=$((sum + ${used:-0}))
            ;;
        esac
    done
    echo "$sum"
}

# Whether the demo runs. One that has ended stays as a zombie (state Z) until this shell waits for it.
demo_runs() {
    state=$(sed 's/.*) //' "/proc/$demo/stat" 2>/dev/null) || return 1
    case $state in
    Z*) return 1 ;;
    esac
}

# Without the demo the profile holds nothing, or less than was said.
require_demo() {
    demo_runs && return
    code=0
    wait "$demo" || code=$?
    echo "make run: the demo workload $1 (exit code $code)" >&2
    exit 1
}

python_is_busy() {
    before=$(python_ticks)
    sleep 1
    [ $(($(python_ticks) - before)) -ge 2 ]
}

# Commands that go on from here: the first one is for everybody.
say_next() {
    printf '\nNext:\n'
    for command in "report --findings profile.pb.gz              what stands out in it" "$@"; do
        echo "  $bin $command"
    done
}

# Processes have to be named there, and what it starts itself may be looked at by any user.
profile_outside() {
    script=$(dirname "$0")/demo.py
    echo "BPF is not to be had here ($bin doctor says why): only the demo workload, $script, is profiled"
    "$bin" --duration 10 --output profile.pb.gz -- "$python" "$script" 12
    say_next "-- python3 app.py                             a program of your own" \
        "dump --pid PID                               what a program does at this moment"
    exit 0
}

"$bin" doctor >/dev/null 2>&1 || profile_outside

demo=
if [ -n "${DEMO:-}" ] || ! python_is_busy; then
    script=$(dirname "$0")/demo.py
    [ -n "${DEMO:-}" ] || echo "No Python process is busy here."
    echo "Starting the demo workload, $script"
    "$python" "$script" 60 &
    demo=$!
    trap 'kill $demo 2>/dev/null || true' EXIT
    sleep 1
    require_demo "did not start"
fi
"$bin" --all-python --duration 10 --output profile.pb.gz
[ -z "$demo" ] || require_demo "ended before the profile did"
say_next "--all-python --listen 7070                   a page at http://127.0.0.1:7070" \
    "--all-python -d 10 --event offcpu            where threads wait"
