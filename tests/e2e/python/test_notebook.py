# SPDX-License-Identifier: GPL-2.0-only
"""%%pyperf in a real kernel of Jupyter, run by its own client, with the wheel installed."""
import json
import re
import subprocess

import pytest

import interpreters as known
import pprof
import profiler
import wheels

pytestmark = pytest.mark.all  # wants the packages of an environment of its own
BURN = """import time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(500))"""


@pytest.fixture(scope="module")
def environment():
    site = known.CACHE / "doors" / "lib" / "python3.11" / "site-packages"
    if not (site / "nbclient").exists():
        pytest.skip("SKIP doors: no nbclient in .cache/doors; make deps")
    return wheels.Environment(known.usual(), site=site)


def run(environment, folder, *cells):
    """What each cell has put out, without its colours."""
    client = profiler.ROOT / "tests" / "lib" / "notebook_client.py"
    surroundings = {**environment.environment, "JUPYTER_PATH": str(known.CACHE / "doors/share/jupyter"),
                    "IPYTHONDIR": str(folder / "ipython"), "HOME": str(folder)}
    done = subprocess.run([environment.python, client], input=json.dumps(cells), capture_output=True,
                          text=True, cwd=folder, timeout=600, env=surroundings)
    assert done.returncode == 0, done.stderr
    found = json.loads(re.sub(r"\\u001b\[[\d;]*m", "", done.stdout))
    assert len(found) == len(cells)
    return found


def rows(text, title):
    """[(share of itself, the rest of the line)]"""
    part = text.split(title)[1].split("\n\n")[0]
    return [(float(share), rest) for share, rest in re.findall(r"^ +([\d.]+)%  +(.*)$", part, re.M)]


def test_a_cell(environment, tmp_path):
    """Lines have the names of their cells and their text, in cells that were run before, too. What the cell
    puts out itself stays, and so do its names."""
    _, _, profiled, after = run(environment, tmp_path, "%load_ext pyperf_bpf", BURN, """%%pyperf -F 999
burn(0.5)
for i in range(1 << 22): 0
print("done")
answer = 6 * 7
answer""", "answer")
    table, = (output["text"] for output in profiled if output["kind"] == "display_data")
    assert [output["text"] for output in profiled if output["kind"] != "display_data"] == ["done\n", "42"]
    assert after == [{"kind": "execute_result", "text": "42"}]
    hottest = rows(table, "Hottest lines")
    assert any(re.match(r"In \[2\]:[45] +(while time|sum\(range\(500\)\))", text) and share > 20
               for share, text in hottest), table
    assert any(re.match(r"In \[3\]:3 +for i in range\(1 << 22\): 0", text) for _, text in hottest), table
    functions = rows(table, "Hottest functions")
    assert functions[0][1].split()[-2:] == ["In", "[2]:2"] and "burn" in functions[0][1]
    assert "ipykernel_launcher" not in table  # which only calls
    assert re.match(r"0\.\d\d s of cpu in [\d.]+ s, \d+ samples\n", table), table


def test_what_fails(environment, tmp_path):
    """Of the profiler: one line. Of the cell: its own traceback, in its own lines, and the table as well."""
    found = run(environment, tmp_path, "%load_ext pyperf_bpf", BURN, "%%pyperf --frequncy 9\n1",
                "%%pyperf -n x\n1", "%%pyperf -F 999\nburn(0.1)\n1 / 0", "%%pyperf\ntime.sleep(0.3)",
                "%pyperf_names maybe")
    assert "UsageError: pyperf-bpf: error: unknown option '--frequncy'" in found[2][0]["text"]
    assert "UsageError: %%pyperf takes -o FILE" in found[3][0]["text"]
    table, error = found[4]
    assert "In [2]:4" in table["text"] and error["text"] == "ZeroDivisionError: division by zero"
    assert "----> 3 1 / 0" in error["traceback"] and "During handling" not in error["traceback"]
    assert "It mostly waited: %%pyperf --event wall" in found[5][0]["text"]
    assert "wants on or off" in found[6][0]["text"]


def test_a_cell_that_awaits(environment, tmp_path):
    """In the kernel's own loop, with its lines, value and names. What cannot be profiled is not run, and what
    fails has its own traceback."""
    cell = """%%pyperf -F 999
import asyncio
loop, text = asyncio.get_running_loop(), '''two
lines'''
async def work():
    await asyncio.sleep(0.01)
    burn(0.4)
await work()
text"""
    found = run(environment, tmp_path, "%load_ext pyperf_bpf", BURN, cell,
                "import asyncio\n(text, loop is asyncio.get_running_loop())",
                "%%pyperf --frequncy 9\nmissing = await asyncio.sleep(0, 1)",
                "%%pyperf -F 999\nburn(0.1)\nawait asyncio.sleep(0)\n1 / 0", "'missing' in globals()",
                "%%pyperf\nasync def inner(): await asyncio.sleep(0)\nburn(0.3)\n7")
    value, table = sorted(found[2], key=lambda output: output["kind"], reverse=True)
    assert value["text"] == "'two\\nlines'" and found[3][0]["text"] == "('two\\nlines', True)"
    functions = rows(table["text"], "Hottest functions")
    assert functions[0][1].split()[-2:] == ["In", "[2]:2"] and "burn" in functions[0][1]
    assert any("work" in text and "In [3]:5" in text for _, text in functions), table["text"]
    assert "UsageError: pyperf-bpf: error: unknown option '--frequncy'" in found[4][0]["text"]
    table, error = sorted(found[5], key=lambda output: output["kind"])
    assert "In [2]:4" in table["text"] and "----> 4 1 / 0" in error["traceback"]
    assert found[6][0]["text"] == "False"
    value, table = sorted(found[7], key=lambda output: output["kind"], reverse=True)
    assert value["text"] == "7" and "burn" in table["text"]


def test_files(environment, tmp_path):
    """-o writes any format, with the names of cells in it."""
    run(environment, tmp_path, "%load_ext pyperf_bpf", BURN, "%%pyperf -F 999 -o out.pb.gz\nburn(0.3)",
        "%%pyperf -F 999 -o out.folded\nburn(0.3)")
    frames = {frame[:2] for sample in pprof.read(tmp_path / "out.pb.gz").samples for frame in sample.frames}
    assert {("burn", "In [2]"), ("<module>", "In [3]")} <= frames, frames
    assert not any(re.search(r"/ipykernel_\d", file) for _, file in frames)
    assert "In [2]" in (tmp_path / "out.folded").read_text()


def test_names_for_others(environment, tmp_path):
    """With %pyperf_names on, a profiler that looks from outside sees them, and Python's own tools find the
    text."""
    look = "import os, subprocess\nother = subprocess.Popen([%r, '--pid', str(os.getpid()), '-d', '1', " \
           "'-F', '999', '-q', '-o', %%r])" % profiler.BINARY
    found = run(environment, tmp_path, "%load_ext pyperf_bpf\n%pyperf_names on", BURN,
                look % "on.pb.gz", "while other.poll() is None: burn(0.1)", "%pyperf_names off",
                BURN.replace("burn", "again"), look % "off.pb.gz",
                "while other.poll() is None: again(0.1)",
                "import inspect\nprint(inspect.getsource(burn))", "def fails(): 1 / 0\nfails()")
    frames = {name: {frame[:2] for sample in pprof.read(tmp_path / name).samples for frame in sample.frames}
              for name in ("on.pb.gz", "off.pb.gz")}
    assert {("burn", "In [2]"), ("<module>", "In [4]")} <= frames["on.pb.gz"], frames
    assert any(name == "again" and "/ipykernel_" in file for name, file in frames["off.pb.gz"])
    assert found[8][0]["text"].startswith("def burn(seconds):")
    assert "----> 1 def fails(): 1 / 0" in found[9][0]["traceback"]


def test_types():
    """The package's own, with mypy."""
    python = known.CACHE / "doors" / "bin" / "python"
    if not python.exists():
        pytest.skip("SKIP doors: no .cache/doors; make deps")
    package = profiler.ROOT / "deploy" / "python" / "pyperf_bpf"
    done = subprocess.run([python, "-m", "mypy", "--strict", "--cache-dir=/dev/null", package],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
