# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf top` on a real pseudo-terminal of 80 columns and 24 lines, by keys as a user presses them."""
import contextlib
import os
import re
import subprocess
import time

import pytest

import interpreters as known
import profiler
from screens import COLUMNS, LINES, Screen


@pytest.fixture(scope="module")
def busy(workloads):
    interpreter = known.newest()
    with profiler.target(interpreter.path, "-S", workloads / "turns.py") as program:
        yield program


def started_on(busy):
    started = Screen("--pid", busy.pid, "--refresh", "1")
    try:
        started.wait(lambda page: all(word in "".join(page) for word in ("count", "turn ")), "functions")
        yield started
    finally:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(started.pid, 9)
            os.waitpid(started.pid, 0)


@pytest.fixture
def screen(busy):
    yield from started_on(busy)


@pytest.fixture(scope="module")
def shared_screen(busy):
    """For tests that only press the keys of views, which are the same whatever is on the screen."""
    yield from started_on(busy)


def row_of(page, word):
    return next(line for line in page if word in line).split()


def test_the_hottest_function(screen):
    page = screen.page()
    assert len(page) == LINES and all(len(line) <= COLUMNS for line in page)
    self_share, total, seconds, name, where = row_of(page, "count")
    assert name == "count" and where.endswith("turns.py:14")
    assert 0 < float(self_share) <= float(total) and float(seconds) > 0
    assert re.match(r"of [\d,]+ samples?, 100 % is one CPU; self s: of the last \d+ s; ", page[1]), page[1]
    assert float(row_of(page, "turn ")[0]) <= float(row_of(page, "turn ")[1])


@pytest.mark.parametrize("key, title, word", [
    ("l", "line", "turns.py:1"), ("p", "pid", "  PID"), ("t", "tid in process", " in "),
    ("o", "namespace", "(no pod)"), ("n", "library", "nothing was seen here"), ("a", "kind", "program"),
    ("w", "for what", "nothing was seen here")])
def test_views(shared_screen, busy, key, title, word):
    shared_screen.press(key)
    page = shared_screen.wait(lambda page: page[2].endswith(title), "view")
    assert word.replace("PID", str(busy.pid)) in "\n".join(page[3:])


def test_filter_order_and_pause(screen):
    screen.press("/COUNT")
    screen.wait(lambda page: page[1].startswith("filter: COUNT_"), "typing")
    screen.press("\n")
    page = screen.wait(lambda page: "filter: COUNT" in page[1] and "_" not in page[1], "filter")
    assert not [line for line in page[3:-3] if line.strip() and "count" not in line]
    screen.press("s")
    screen.wait(lambda page: "ordered by total" in page[1], "order")
    screen.press(" ")
    before = screen.wait(lambda page: "[paused]" in page[0], "pause")
    time.sleep(2.5)  # more than two pages
    assert screen.page() == before


def test_lines_of_the_chosen_function(screen):
    screen.press("/count\nj\n")
    page = screen.wait(lambda page: page[1].startswith("lines of count") and "count" in page[3], "lines")
    rows = [line.split() for line in page[3:-3] if line.strip()]
    assert all(row[3] == "count" and "turns.py:" in row[4] for row in rows), rows
    screen.press("\033")
    screen.wait(lambda page: page[2].endswith("file"), "functions again")


TWO = """
import threading
def spin():
    while True:
        pass
threading.Thread(target=spin, daemon=True).start()
print("{}", flush=True)
spin()
"""


def test_who_waits_for_whom():
    with profiler.target(known.newest().path, "-S", "-c", TWO) as program:
        screen = Screen("--pid", program.pid, "--refresh", "1", "--event", "gil")
        screen.wait(lambda page: len(page) == LINES, "page")
        screen.press("w")
        page = screen.wait(lambda page: page[2].endswith("for what") and "GIL: spin" in "".join(page),
                           "holder")
        assert row_of(page, "GIL: spin")[3] == "spin"
        screen.press("q")
        assert screen.end() == 0


def test_change_against_the_past(screen):
    screen.press("c")
    page = screen.wait(lambda page: re.match(r"change: against [1-9]\d* s ago", page[1]), "past")
    assert re.match(r"[+-]\d+\.\d", row_of(page, "count")[2])


@pytest.mark.parametrize("key", ["q", "\x03"])
def test_the_terminal_is_given_back(screen, key):
    screen.press(key)
    assert screen.end() == 0
    assert screen.bytes.startswith(b"\033[?1049h") and b"\033[?1049l" in screen.bytes


def test_without_a_terminal():
    done = subprocess.run([profiler.BINARY, "top"], capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == "pyperf-bpf: error: top needs a terminal; for a file use -o FILE without top\n"
