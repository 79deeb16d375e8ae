# SPDX-License-Identifier: GPL-2.0-only
"""Thousands of functions with line tables too large for a record, all met within a moment.

Those are more questions at once than the worker's queue has room for. Each line is the true one in the
end."""
import collections
import os
import pathlib
import shutil
import signal

import pytest

import interpreters as known
import profiler

FUNCTIONS, LINES = 2000, 700  # 700 lines make a table over 2 KiB in each version
NEWEST = known.of_versions("3.13", "3.14", "3.15")

# Each function runs for half a millisecond in its last line alone, whose number is LINES behind its first.
# They are one function under many names: to the profiler each is a code object of its own.
PROGRAM = """
import json, time, types
lines = ['def f(end):']
lines += [' x%%d = %%d' %% (i %% 7, i) for i in range(%d - 1)]
lines += [' while clock() < end: pass']
scope = {'clock': time.process_time}
exec(compile('\\n'.join(lines), 'tables.py', 'exec'), scope)
code = scope['f'].__code__
named = [code.replace(co_name='f%%d' %% n, co_qualname='f%%d' %% n) for n in range(%d)]
functions = [types.FunctionType(one, scope) for one in named]
print(json.dumps({}), flush=True)
while True:
    for function in functions:
        function(time.process_time() + .0005)
""" % (LINES, FUNCTIONS)


def lines_seen(run):
    """Samples of the functions by where their line is: the last one of the function, which is the true one,
    unknown, or another."""
    seen, functions = collections.Counter(), set()
    for sample in run.samples:
        function, file, first, line = sample.stack[0]
        if file == "tables.py" and function.startswith("f"):
            assert line == 0 or first <= line <= first + LINES, sample.stack[0]
            seen["last" if line == first + LINES else "others" if line else "unknown"] += sample.count
            functions.add(function)
    assert len(functions) > FUNCTIONS / 2
    return seen


@pytest.fixture
def program(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    return program


@pytest.mark.parametrize("python", NEWEST, ids=str)
def test_each_line_is_the_true_one(python, program, tmp_path):
    with profiler.target(python.path, program) as busy:
        run = profiler.run_while(tmp_path, [busy], 6, "-F", 4999)
    seen = lines_seen(run)
    assert seen["last"] > 0.9 * sum(seen.values()), seen
    assert run.stats["lines"]["missing"] == seen["unknown"] == 0


def interrupt_child(run):
    """strace itself heeds no signal while its program runs."""
    child, = pathlib.Path("/proc/{0}/task/{0}/children".format(run.process.pid)).read_text().split()
    os.kill(int(child), signal.SIGINT)


def test_a_worker_that_fails_every_third_answer(program, tmp_path):
    """What it failed is asked again. Until then a line is unknown, and never another one."""
    if not shutil.which("strace"):
        pytest.skip("SKIP strace: it is not here")
    notes = tmp_path / "strace"
    fails = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", str(notes), "-e", "trace=pwrite64", "-e",
             "inject=pwrite64:error=EIO:when=3+3"]
    with profiler.target(NEWEST[-1].path, program) as busy:
        run = profiler.Run(tmp_path, "-p", busy.pid, "-F", 4999, "-v", binary=(*fails, profiler.BINARY))
        try:
            profiler.let_use_cpu(run, [busy.pid], 15)
            interrupt_child(run)
            run.finish()
        finally:
            run.kill()
    failed = notes.read_text().count("(INJECTED)")
    assert failed > FUNCTIONS / 6
    seen = lines_seen(run)
    print(failed, dict(seen))
    assert seen["last"] > 0.9 * (seen["last"] + seen["others"]), seen
    # Each was asked again, most of them soon.
    assert seen["unknown"] < 0.1 * sum(seen.values()), seen
    assert bool(run.stats["lines"]["missing"]) == bool(seen["unknown"])
