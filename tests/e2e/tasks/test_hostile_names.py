# SPDX-License-Identifier: GPL-2.0-only
"""Tasks of asyncio whose names, functions and files were chosen to harm who reads them, or to pass for
something else: as text, as a table, as JSON, in `dump`, and in a profile."""
import json
import re
import subprocess
import unicodedata

import pytest

import pprof
import profiler
from async_tasks import PYTHONS, settled, tasks

pytestmark = pytest.mark.all
PYTHON = PYTHONS[-1]

# What a name is, in itself and in longer ones: escape sequences of a terminal, lines of our own output, bidi
# marks, halves of surrogates, a NUL, markup, quotes, more than anybody reads.
PROGRAM = r"""
import asyncio, json, threading, types
NAMES = ["\x1b[2J\x1b]0;owned\x07", "\x9b31m", "\u202eevil", "\u2066x\u2069", "a\r\nProcess 1 (init)",
         "\ud800\udfff", "\udc80", "\0after", "</script><script>alert(1)</script>", "a;b 7\n", "\\",
         '"},{"pid":1,"name":"', "%n%s%1000000d", "\u2028\u2029", "\x7f\x85", "x" * (1 << 20), "", " ",
         "\U0001f4a9" * 5000, "[truncated]", "\ufeff", "-rf", "../../etc/passwd", "{0.__class__}"]
async def stands(): await asyncio.get_running_loop().create_future()
def renamed(name):
    code = stands.__code__.replace(co_name=name, co_qualname=name, co_filename=name)
    return types.FunctionType(code, globals())
class Named(str):
    "A name whose class is not str."
    __slots__ = ()
    def __str__(self): return self
async def main():
    kept = [asyncio.create_task(renamed(name)(), name=name) for name in NAMES]
    kept += [asyncio.create_task(stands(), name=Named("derived")), asyncio.create_task(stands(), name=7)]
    kept[0].set_name("\x1b[H")
    await asyncio.sleep(0.1)
    print(json.dumps({"tasks": len(kept) + 1}), flush=True)
    await asyncio.gather(*kept)
asyncio.run(main())
"""
TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@pytest.fixture(scope="module")
def program():
    with profiler.target(PYTHON.path, "-S", "-c", PROGRAM) as started:
        profiler.wait_until(lambda: settled(started.pid), what="program that waits")
        yield started


def odd(text):
    """What a terminal obeys, what is a line of its own somewhere, and what turns text around."""
    return [c for c in text if c != "\n" and (unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs") or
                                              unicodedata.bidirectional(c) in TURNS)]


def test_json(program):
    """It is JSON, all tasks are there, and each string is one of text."""
    done = subprocess.run([profiler.BINARY, "tasks", "--json", "--pid", str(program.pid)], check=True,
                          capture_output=True, timeout=300)
    text = done.stdout.decode()
    assert not odd(text), odd(text)
    process, = json.loads(text)["processes"]
    assert process["pid"] == program.pid and len(process["tasks"]) == program.about["tasks"]
    for task in process["tasks"]:
        assert len(task.get("name", "")) <= 128
        assert all(len(frame["function"]) < 1100 and len(frame["file"]) < 4200 for frame in task["frames"])
    names = {task.get("name") for task in process["tasks"]}
    assert {"derived", "7", "</script><script>alert(1)</script>", "%n%s%1000000d"} <= names
    assert len(text) < 1 << 20


@pytest.mark.parametrize("arguments", ((), ("--table",)), ids=("text", "table"))
def test_for_a_terminal(arguments, program):
    text = tasks(*arguments, "--pid", program.pid).stdout
    assert not odd(text), odd(text)
    lines = text.splitlines()
    assert not [line for line in lines if line.startswith("Process 1 ")]
    assert len(lines) <= 12 * program.about["tasks"]
    assert max(map(len, lines)) < 6000
    assert len(re.findall("x{100}", text)) >= 1


def test_dump_beside_tasks(program):
    done = subprocess.run([profiler.BINARY, "dump", "--async", "--pid", str(program.pid)], check=True,
                          capture_output=True, timeout=300)
    assert not odd(done.stdout.decode())


def test_event_tasks(program, tmp_path):
    """In a profile each is a label, whose text others may show as they like: valid UTF-8 of a bounded
    length. Its folded form has a stack in each line."""
    run = profiler.run(tmp_path, "-p", program.pid, "--event", "tasks", "-d", 2, stats=False)
    samples = pprof.read(run.path).samples
    assert len(samples) > 10
    for sample in samples:
        assert len(sample.labels.get("task", "")) < 200
    run = profiler.run(tmp_path, "-p", program.pid, "--event", "tasks", "-d", 2, stats=False,
                       output="out.folded")
    lines = run.path.read_text().splitlines()
    assert lines and all(re.fullmatch(r"\S.* \d+", line) for line in lines)
    assert not odd("".join(lines)), odd("".join(lines))
