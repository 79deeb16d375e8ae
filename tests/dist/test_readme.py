# SPDX-License-Identifier: GPL-2.0-only
"""README.md's lines for the files of a release, as they stand there: each alone, in a bare root where the
files are in the working folder, installs a program that profiles."""
import re
import shutil

import pytest
import roots
from machines import NATIVE, TOP
from test_packages import UV, profiles, root_of

START = "In the folder where the files of a release are"


def lines():
    """The first code block behind START."""
    text = (TOP / "README.md").read_text().split(START)[1]
    return re.findall(r"^    (.+)$", re.search(r"(?:^    .+\n)+", text, re.M)[0], re.M)


def installed(root):
    """The paths in there of all programs of that name; uv's cache has one, too."""
    found = (path.relative_to(root) for path in root.rglob("pyperf-bpf") if path.is_file())
    return {path for path in found if (root / path).stat().st_mode & 0o111 and ".cache" not in path.parts}


def test_there_is_one_for_each_kind_of_file():
    assert [line.split()[0] for line in lines()] == ["uv", "pip", "dpkg", "tar", "tar"]


@pytest.mark.skipif(NATIVE != "x86_64", reason="SKIP not-applicable: the lines are for x86-64")
@pytest.mark.parametrize("line", lines())
def test_it_installs_a_program(dist, busy, line):
    with roots.copy(root_of("bookworm", "python3-venv")) as root:
        files = root / "root/files"
        shutil.copytree(dist, files)
        shutil.copy(UV, root / "usr/local/bin/uv")
        environment = "" if "pip" not in line else "python3 -m venv /opt/env; PATH=/opt/env/bin:$PATH; "
        roots.run(root, "sh", "-euc", environment + "cd /root/files; " + line)
        program, = installed(root)
        profiles(root, "/" + str(program), busy)
