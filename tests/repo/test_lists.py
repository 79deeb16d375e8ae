# SPDX-License-Identifier: GPL-2.0-only
"""Pages of docs/ that deploy/tools/list_rows.py makes of lists say what the lists say."""
import re
import subprocess
import sys

import pytest

import formats
import mcp_client
import profiler
from lists import rows

PAGES = sorted(page.stem for page in (profiler.ROOT / "docs").glob("*.md")
               if "\nMade from `" in page.read_text())
REPORT_PAGE = (profiler.ROOT / "docs" / "report.md").read_text()


def test_there_are_some():
    assert {"outcomes", "frames", "events", "labels", "states", "formats"} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_page_is_that_of_its_list(page):
    made = subprocess.run([sys.executable, "deploy/tools/list_rows.py", page], cwd=profiler.ROOT,
                          capture_output=True,
                          text=True, check=True).stdout
    assert (profiler.ROOT / "docs" / (page + ".md")).read_text() == made, "make docs/%s.md" % page


def test_help_names_the_formats():
    shown = subprocess.run([profiler.BINARY, "--help", "all"], capture_output=True, text=True,
                           check=True).stdout
    line = re.search(r"^ +--format (\S+)\s+((?:.*\n)*?) *--", shown, re.M)
    assert line[1].split("|") == [format.name for format in formats.FORMATS]
    assert all(format.suffix in line[2] for format in formats.FORMATS[1:])


def run(*command):
    done = subprocess.run([profiler.BINARY, *command], capture_output=True, text=True)
    return done.stdout + done.stderr


def about_by():
    with mcp_client.Server() as server:
        tools = {tool["name"]: tool for tool in server.ask("tools/list")["tools"]}
    return tools["report"]["inputSchema"]["properties"]["by"]["description"]


@pytest.mark.parametrize("text", (
    lambda: re.search(r"what a row is: (.*?) --", " ".join(run("--help", "all").split()))[1],
    lambda: re.search(r"wants one of (.*), not", run("report", "--by", "x", "y"))[1],
    lambda: re.search(r"what a row is: (.*?);", about_by())[1],
    lambda: re.search(r"^\| `--by` \|.*?\n\n", REPORT_PAGE, re.M | re.S)[0],
), ids=("help", "error", "mcp", "page"))
def test_all_name_the_same_rows_of_reports(text):
    names = [*rows("user/report/by.def", "BY", r'\w+, "(\w+)"'), "label:NAME"]
    said = text()
    if said.startswith("|"):
        said = ", ".join(re.findall(r"`([^`]+)`", "\n".join(re.findall(r"^\|([^|]+)\|", said, re.M)[2:])))
    assert sorted(said.split(", ")) == sorted(names)
