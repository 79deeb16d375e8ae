#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Makes docs/pictures/summary.svg anew: the summary of a Flask application under gunicorn with four workers,
# under load, as it appears on a terminal. Root; needs what "make deps" installs, and half a minute.
#
#	sh deploy/tools/summary_picture.sh [BUILD]
set -eu

cd "$(dirname "$0")/../.."
# /srv/shop is not of this machine: it lies in mounts that end with this program.
if [ -z "${IN_OWN_MOUNTS:-}" ]; then
    IN_OWN_MOUNTS=1 exec unshare --mount sh deploy/tools/summary_picture.sh "$@"
fi
top=$PWD build=$(realpath "${1:-build}")
PATH=$build:$top/.cache/venv/bin:$PATH
export PYTHONDONTWRITEBYTECODE=1 GUNICORN_CMD_ARGS='--preload --pid /srv/shop/pid --log-level warning'
mount -t tmpfs none /srv
mkdir /srv/shop
cp tests/workloads/webapp.py /srv/shop/shop.py
cd /srv/shop

command='pyperf-bpf -d 30 -n 8 -- gunicorn -w 4 shop:application'
for client in 1 2 3 4 5 6 7 8; do
    while :; do
        curl -s http://127.0.0.1:8000/report http://127.0.0.1:8000/fractal >/dev/null || sleep 0.1
    done &
    clients="${clients:-} $!"
done
# With -d the application goes on after the profiler has ended. It complains ([ERROR]) when script(1) takes
# its terminal away.
trap 'kill $clients $(cat /srv/shop/pid) 2>/dev/null || :' EXIT
script -qec "$command" raw.txt >/dev/null </dev/null
python3 "$top/deploy/tools/terminal_svg.py" \
    --title 'a Flask application under gunicorn, four workers, under load' \
    --command "$command" --until '[ERROR]' raw.txt > picture.svg
cp picture.svg "$top/docs/pictures/summary.svg"
