# SPDX-License-Identifier: GPL-2.0-only
"""Profiles of stacks of 100,000 frames, in which functions call each other again and again: tables are right
by another way of counting, and cost what it costs to read the file, not that for each table."""
import json
import random
import re
import resource
import subprocess

import pytest

import profiler
import protobuf
from pprof_rows import report
from protobuf import varint


def profile(path, functions, stacks, spread=1):
    """functions: [(name, file)]; stacks: of their indices, leaf first. The id of a location is spread times
    that of the one before."""
    texts = ["", "samples", "count"]
    texts += [text for function in functions for text in function]
    out = [protobuf.text(1, b"\x08\x01\x10\x02")]
    for i in range(len(functions)):
        out.append(protobuf.text(5, b"\x08" + varint(i + 1) + b"\x10" + varint(2 * i + 3) +
                                 b"\x20" + varint(2 * i + 4)))
        address = 0 if functions[i][1].endswith(".py") else i + 4096  # code that has one is native
        out.append(protobuf.text(4, b"\x08" + varint((i + 1) * spread) + b"\x18" + varint(address) +
                                 protobuf.text(4, b"\x08" + varint(i + 1) + b"\x10\x01")))
    ids = [varint((i + 1) * spread) for i in range(len(functions))]
    out += [protobuf.text(2, protobuf.text(1, b"".join(map(ids.__getitem__, stack))) + b"\x12\x01\x01")
            for stack in stacks]
    out += [protobuf.text(6, text.encode()) for text in texts]
    path.write_bytes(b"".join(out))
    return path


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


def seconds(path, *words):
    """Of a CPU."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([profiler.BINARY, "report", *words, str(path)], check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def best(path, *words):
    return min(seconds(path, *words) for _ in range(5))


def test_what_it_costs(tmp_path):
    """As one that looks at no frame, but to find markers; and ids that count up cost less than any others."""
    functions = [("f%d" % i, "/app/y.py") for i in range(2000)]
    stacks = [random.choices(range(2000), k=100000) for _ in range(50)]
    path = profile(tmp_path / "deep.pb", functions, stacks)
    far = profile(tmp_path / "far.pb", functions, stacks, spread=1 << 20)
    every, none, any_id = best(path), best(path, "--by", "process"), best(far)
    print("all tables %.2f s, one without frames %.2f s, other ids %.2f s" % (every, none, any_id))
    assert every < 1.5 * none and every < 0.75 * any_id


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
