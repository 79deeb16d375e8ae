# SPDX-License-Identifier: GPL-2.0-only
"""docs/investigations.md: each command is one that the program takes. It is run by a user who may not profile
and has none of the files, so it fails, but never with the exit code of wrong usage."""
import os
import re
import shlex
import shutil
import subprocess
import tempfile

import pytest

import profiler

TEXT = (profiler.ROOT / "docs" / "investigations.md").read_text()
COMMANDS = re.findall(r"^    (pyperf-bpf (?!\S*:).*)$", TEXT, re.M)
WRONG_USAGE = 2


def test_there_are_fifteen():
    chapters = re.split(r"^## (?=\d)", TEXT, flags=re.M)[1:]
    assert [chapter.partition(".")[0] for chapter in chapters] == [str(i) for i in range(1, 16)]
    assert all("\n    pyperf-bpf " in chapter for chapter in chapters)
    assert len(COMMANDS) > 20


@pytest.fixture(scope="module")
def program():
    """It, where everybody may read it."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield shutil.copy(profiler.BINARY, folder)


@pytest.mark.skipif(not shutil.which("setpriv"), reason="SKIP setpriv: Debian package util-linux")
@pytest.mark.parametrize("command", COMMANDS)
def test_command_is_one(command, program):
    name, *words = shlex.split(command)
    done = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", program,
                           *words], cwd=os.path.dirname(program), capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=120)
    assert done.returncode != WRONG_USAGE, done.stderr
    assert name == "pyperf-bpf" and (done.returncode == 0 or "pyperf-bpf: error:" in done.stderr)
