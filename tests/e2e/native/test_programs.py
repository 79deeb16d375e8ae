# SPDX-License-Identifier: GPL-2.0-only
"""--all: programs that are no Python, by their native stacks, beside Python."""
import math
import os
import pathlib
import platform
import shutil
import subprocess

import pytest

import interpreters as known
import profiler

FREQUENCY = 1999
# In the first second nothing is known of the program's files, and a busy machine is slow to find out.
MARKERS = {"[native not loaded yet]"}

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64",
                                reason="SKIP not-applicable: stacks of programs are found on x86-64 only")


@pytest.fixture(scope="module")
def build(tmp_path_factory, workloads):
    """A function that makes program.c: build(name, *flags) -> its path."""
    directory = tmp_path_factory.mktemp("programs")

    def compiled(name, *flags):
        path = directory / name
        subprocess.run(["gcc", "-O2", "-pthread", *flags, workloads / "native" / "program.c", "-o", path],
                       check=True)
        return path

    return compiled


def profile(directory, pids, *arguments, cpu=1, before=lambda ran: None):
    """before: what is waited for while it runs, before the processes are given that much CPU time."""
    ran = profiler.Run(directory, "--all", "-F", FREQUENCY, *arguments)
    try:
        before(ran)
        profiler.let_use_cpu(ran, pids, cpu)
        ran.interrupt()
    except BaseException:
        ran.kill()
        raise
    return ran.finish(900)


def known_stacks(samples):
    """{stack, root first: samples} of those whose files were known."""
    found = {}
    for sample in samples:
        names = tuple(reversed(profiler.functions(sample)))
        if not MARKERS & set(names):
            found[names] = found.get(names, 0) + sample.count
    return found


@pytest.mark.parametrize("flags", [(), ("-static",), ("-static-pie",), ("-fomit-frame-pointer", "-no-pie"),
                                   ("-fno-omit-frame-pointer",)], ids=" ".join)
def test_shares_of_a_program(build, flags, tmp_path):
    name = "p" + "".join(flags).replace("-", "")[:10]
    with profiler.target(build(name, *flags)) as target:
        run = profile(tmp_path, [target.pid], "--comm", name, cpu=1.5)
    assert {sample.pid for sample in run.samples} == {target.pid}
    assert {sample.comm for sample in run.samples} == {name}
    stacks = known_stacks(run.samples)
    total = sum(stacks.values())
    assert total > 0.5 * profiler.total(run.samples)
    count = {leaf: sum(n for stack, n in stacks.items()
                       if stack[0] == "_start" and stack[-3:] == ("main", "middle", leaf))
             for leaf in ("heavy", "light")}
    n = sum(count.values())
    # What is left are ticks in main() and middle() themselves.
    assert n > 0.97 * total and n > 500, stacks
    # The loops are 3 to 1 in their rounds; what the machine does meanwhile takes time from either.
    assert abs(count["heavy"] / n - 0.75) <= 5 * math.sqrt(0.75 * 0.25 / n) + 0.03
    counted = run.stats["outcomes"]
    assert counted["program"] == profiler.total(run.samples) == sum(run.stats["native"].values())
    assert counted["whole"] == 0


def test_threads_of_a_program(build, tmp_path):
    with profiler.target(build("threaded"), "2") as target:
        run = profile(tmp_path, [target.pid], "--comm", "threaded", cpu=1)
    by_thread = {}
    for sample in run.samples:
        by_thread.setdefault(sample.tid, []).append(sample)
    assert len(by_thread) == 2
    other = known_stacks(by_thread[next(tid for tid in by_thread if tid != target.pid)])
    assert sum(n for stack, n in other.items() if "threads" in stack and "main" not in stack) > (
        0.97 * sum(other.values())), other


def test_leaf_only(build, tmp_path):
    with profiler.target(build("leaf")) as target:
        run = profile(tmp_path, [target.pid], "--comm", "leaf", "--native", "leaf")
    stacks = known_stacks(run.samples)
    assert stacks[("heavy",)] + stacks[("light",)] > 0.97 * sum(stacks.values()), stacks


def test_stripped_program(build, tmp_path):
    """Its functions have no names, and their callers are found all the same."""
    path = build("stripped", "-s")
    with profiler.target(path) as target:
        run = profile(tmp_path, [target.pid], "--comm", "stripped")
    stacks = known_stacks(run.samples)
    own = [name for stack in stacks if len(stack) >= 5 for name in stack[-2:]]
    assert own and all(name.startswith("stripped!0x") for name in own), stacks
    deep = sum(n for stack, n in stacks.items() if len(stack) >= 5)
    assert deep > 0.97 * sum(stacks.values())


def test_beside_python_and_a_shell(build, workloads, tmp_path):
    """One run over the machine: Python is as without, and the books of all add up (Run.check_books)."""
    python = known.newest().path
    with profiler.target(build("beside")) as program, \
            profiler.target(python, workloads / "burn.py", about=False) as burn, \
            profiler.target("bash", "-c", "while :; do :; done", about=False) as shell:
        run = profile(tmp_path, [program.pid, burn.pid, shell.pid])
    assert sum(n for stack, n in known_stacks(run.of(program.pid)).items() if "middle" in stack) > 50
    shells = known_stacks(run.of(shell.pid))
    # The distribution's shell is stripped; its exported functions have names.
    assert sum(n for stack, n in shells.items() if "main" in stack and any(
        name.startswith("execute_command") for name in stack)) > 0.5 * sum(shells.values()), shells
    burns = [sample for sample in run.of(burn.pid) if "<module>" in profiler.functions(sample)]
    assert profiler.total(burns) > 0.9 * profiler.total(run.of(burn.pid))
    assert run.stats["outcomes"]["whole"] > 50 and run.stats["outcomes"]["program"] > 50


def test_a_program_that_becomes_another(build, workloads, tmp_path):
    """A shell that execs: what it was keeps its samples, what it is has its own."""
    python = known.newest().path
    script = "until read -t 0; do i=$((i+1)); done; exec %s %s" % (python, workloads / "burn.py")
    with profiler.target("bash", "-c", script, about=False, stdin=subprocess.PIPE) as target:
        shell = os.readlink("/proc/%d/exe" % target.pid)

        def becomes_another(ran):
            profiler.let_use_cpu(ran, [target.pid], 2)
            target.tell()
            profiler.wait_until(lambda: os.readlink("/proc/%d/exe" % target.pid) != shell, what="exec")
        run = profile(tmp_path, [target.pid], before=becomes_another)
    mine = run.of(target.pid)
    roots = {profiler.functions(sample)[-1] for sample in mine}
    assert "<module>" in roots and "_start" in roots, roots
    assert not [s for s in mine if {"<module>", "execute_command"} <= set(profiler.functions(s))]


def test_go(tmp_path):
    """Go's programs have no .eh_frame: the function is there, its callers are said to be missing."""
    go = shutil.which("go") or "/usr/local/go/bin/go"
    if not pathlib.Path(go).exists():
        pytest.skip("SKIP go: it is not here to make a program")
    source = tmp_path / "main.go"
    source.write_text("package main\n\n//go:noinline\nfunc burn(n int) int {\n\tx := 0\n"
                      "\tfor i := 0; i < n; i++ {\n\t\tx += i ^ x\n\t}\n\treturn x\n}\n\n"
                      "func main() {\n\tprintln(\"{}\")\n\tfor {\n\t\tburn(1000000)\n\t}\n}\n")
    subprocess.run([go, "build", "-o", tmp_path / "goprogram", source], check=True,
                   env={**os.environ, "HOME": str(tmp_path), "GO111MODULE": "off", "CGO_ENABLED": "0"})
    with profiler.target(tmp_path / "goprogram", about=False) as target:
        run = profile(tmp_path, [target.pid], "--comm", "goprogram")
    stacks = known_stacks(run.samples)
    assert stacks[("[native incomplete]", "main.burn")] > 0.9 * sum(stacks.values()), stacks


@pytest.mark.parametrize("arguments, said", [(("--all", "--native", "off"), "--native off"),
                                             (("--all", "--all-python"), "only one of")])
def test_command_lines_that_make_no_sense(arguments, said, tmp_path):
    assert said in profiler.run(tmp_path, *arguments, code=2).err
