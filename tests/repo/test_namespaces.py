# SPDX-License-Identifier: GPL-2.0-only
"""tests/lib/namespaces.py, which decides what a machine skips for it: what unshare says is the reason, of the
kind that a test wants and of no other. A program called unshare stands in for machines that refuse some."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

import profiler

REFUSED = "unshare: unshare failed: Operation not permitted"
UNSHARE = """#!/bin/sh
for word in "$@"; do
    case $word in
    %s) echo "%s" >&2; exit 1 ;;
    esac
done
""" % ("%s", REFUSED)
PROGRAM = """
import json, namespaces
print(json.dumps({"own": namespaces.reason(), "mount": namespaces.reason_of("--mount"),
                  "user": namespaces.reason_of("--mount", "--user"),
                  "users": namespaces.reason_of_users()}))
"""


@pytest.mark.parametrize("refused, lacking", [
    ("none", set()),
    ("--pid", {"own"}),  # a container without rights of its own
    ("--user|-Urm", {"user", "users"}),  # a chroot, for which others can be had
    ("--mount|-Urm", {"own", "mount", "user", "users"}),
])
def test_what_is_refused_is_a_reason(refused, lacking):
    with tempfile.TemporaryDirectory() as directory:
        check(pathlib.Path(directory), refused, lacking)


def check(tmp_path, refused, lacking):
    unshare = tmp_path / "unshare"
    unshare.write_text(UNSHARE % refused)
    unshare.chmod(0o755)
    tmp_path.chmod(0o755)  # for another user
    environment = {**os.environ, "PATH": "%s:%s" % (tmp_path, os.environ["PATH"]),
                   "PYTHONPATH": str(profiler.ROOT / "tests/lib")}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {kind for kind, reason in found.items() if reason} == lacking
    assert {reason for reason in found.values() if reason} <= {REFUSED}
