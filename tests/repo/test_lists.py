# SPDX-License-Identifier: GPL-2.0-only
"""Pages of docs/ that deploy/tools/list_rows.py makes of lists say what the lists say."""
import re
import subprocess
import sys

import pytest

import formats
import profiler

PAGES = sorted(page.stem for page in (profiler.ROOT / "docs").glob("*.md")
               if "\nMade from `" in page.read_text())


def test_there_are_some():
    assert {"outcomes", "frames", "events", "labels", "states", "formats"} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_page_is_that_of_its_list(page):
    made = subprocess.run([sys.executable, "deploy/tools/list_rows.py", page], cwd=profiler.ROOT,
                          capture_output=True,
                          text=True, check=True).stdout
    assert (profiler.ROOT / "docs" / (page + ".md")).read_text() == made, "make docs/%s.md" % page


def test_help_names_the_formats():
    shown = subprocess.run([profiler.BINARY, "--help"], capture_output=True, text=True, check=True).stdout
    line = re.search(r"^ +--format (\S+)\s+(.*)", shown, re.M)
    assert line[1].split("|") == [format.name for format in formats.FORMATS]
    assert all(format.suffix in line[2] for format in formats.FORMATS[1:])
