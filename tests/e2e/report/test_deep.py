# SPDX-License-Identifier: GPL-2.0-only
"""Profiles of stacks of 100,000 frames, in which functions call each other again and again: tables are right
by another way of counting. What they cost, tests/bench/deep.py says."""
import json
import random
import re
import subprocess

import pytest

import profiler
from deep_profiles import profile
from pprof_rows import report


def rows(path, *words):
    table, = json.loads(report("--json", "-n", 100000, *words, path))["tables"]
    return {row["name"]: (row["self"], row["total"]) for row in table["rows"]}


def counted(functions, stacks, first_of):
    """The same from the stacks, frame by frame."""
    found = {}
    for stack in stacks:
        at = first_of([functions[i][1] for i in stack])
        for name in {functions[i][0] for i in stack[at:]}:
            own, total = found.get(name, (0, 0))
            found[name] = own + (name == functions[stack[at]][0]), total + 1
    return found


def first_python(files):
    return next((i for i, file in enumerate(files) if file.endswith(".py")), 0)


@pytest.mark.parametrize("deep", (255, 256, 5000))
def test_each_function_counts_once(deep, tmp_path):
    """With native code above Python that is below it, too, or is nowhere else; few places and many."""
    draw = random.Random(deep)
    for share in (0, 0.01, 0.5, 1):
        functions = [("f%d" % i, "/usr/lib/x.so" if draw.random() < share else "/app/y.py")
                     for i in range(draw.choice((3, 40, 200)))]
        stacks = [draw.choices(range(len(functions)), k=draw.choice((deep, deep // 2 + 1)))
                  for _ in range(30)]
        path = profile(tmp_path / "deep.pb", functions, stacks)
        assert rows(path, "--by", "function") == counted(functions, stacks, first_python)
        assert rows(path, "--by", "frame") == counted(functions, stacks, lambda files: 0)


def test_who_is_ended_says_how_far_he_came(tmp_path):
    """As mcp does with a command that takes too long."""
    draw = random.Random(1)
    functions = [("f%d" % i, "/app/y.py") for i in range(2000)]
    stacks = [draw.choices(range(2000), k=20000) for _ in range(50)]
    file = profile(tmp_path / "deep.pb", functions, stacks)
    with subprocess.Popen([profiler.BINARY, "report", *[file] * 300], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as command:
        profiler.wait_until(lambda: profiler.cpu_seconds(command.pid) > 1)
        command.terminate()
        said = command.stderr.read()
    read = re.fullmatch(r"pyperf-bpf: ended while it read: "
                        r"(\d+) different stacks of (\d+) files so far\n", said)
    assert read and command.returncode == 1, said
    assert 0 < int(read[1]) <= 50 and 0 < int(read[2]) < 300
