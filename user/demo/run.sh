#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make run: ten seconds of every Python process; when none is busy, of the demo that ships with the project.
set -eu
bin=$1

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

before=$(python_ticks)
sleep 1
if [ $(($(python_ticks) - before)) -lt 2 ]; then
    echo "No Python process is busy here: starting the demo workload, user/demo/demo.py"
    /usr/bin/python3 "$(dirname "$0")/demo.py" 12 &
    demo=$!
    trap 'kill $demo 2>/dev/null || true' EXIT
    sleep 1
fi
"$bin" --all-python --duration 10 --output profile.pb.gz --stats
