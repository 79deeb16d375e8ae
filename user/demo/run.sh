#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make run: ten seconds of every Python process; when none is busy, of the demo that ships with the project.
set -eu
bin=$1
python_is_busy() {
    for exe in /proc/[0-9]*/exe; do
        case $(readlink "$exe" 2>/dev/null) in
        *python*) return 0 ;;
        esac
    done
    return 1
}
if ! python_is_busy; then
    echo "No Python process runs here: starting the demo workload, user/demo/demo.py"
    /usr/bin/python3 "$(dirname "$0")/demo.py" 12 &
    demo=$!
    trap 'kill $demo 2>/dev/null || true' EXIT
    sleep 1
fi
"$bin" --all-python --duration 10 --output profile.pb.gz --stats
