# SPDX-License-Identifier: GPL-2.0-only
"""Interpreters inside other programs, and several of them in one process."""
import http.client
import os
import shutil
import subprocess
import time

import pytest

import profiler
from serving import free_port

INCLUDE = "/usr/include/python3.11"
LIBRARY = "libpython3.11.so.1.0"


def total_of(run, pid, function):
    return profiler.total(s for s in run.of(pid) if function in profiler.functions(s) and
                          profiler.marker_of(s.stack) is None)


@pytest.fixture(scope="session")
def compiled(tmp_path_factory, workloads):
    """A function that compiles one of the C programs."""
    directory = tmp_path_factory.mktemp("embed")

    def compile_c(name, *flags):
        if not os.path.exists(INCLUDE + "/Python.h"):
            pytest.skip("SKIP headers: no libpython3.11-dev")
        program = directory / ("-".join((name, *flags)).replace("/", "_"))
        if not program.exists():
            subprocess.run(["gcc", "-O2", "-o", program, workloads / (name + ".c"), "-I" + INCLUDE, *flags,
                            "-ldl", "-lm", "-lpthread"], check=True)
        return program
    return compile_c


LINKS = {
    "shared": ["-lpython3.11"],
    "static": ["-no-pie", "-Wl,--export-dynamic",
               "/usr/lib/python3.11/config-3.11-x86_64-linux-gnu/libpython3.11.a",
               "-lexpat", "-lz", "-lutil"],
}


@pytest.mark.parametrize("thread", ((), ("--thread",)), ids=("main", "thread"))
@pytest.mark.parametrize("link", LINKS)
def test_linked(compiled, workloads, tmp_path, link, thread):
    program = compiled("embed", *LINKS[link])
    with profiler.target(program, *thread, workloads / "burn.py") as target:
        run = profiler.run_while(tmp_path, [target], 1.5, "-F", 499)
    assert total_of(run, target.pid, "burn") > 0.95 * profiler.total(run.samples) > 50


def test_idle_interpreter(compiled, workloads, tmp_path):
    """Nothing proves the layout while no thread has a frame: a second later it is used nevertheless,
    and says so."""
    program = compiled("embed", *LINKS["shared"])
    with profiler.target(program, "--idle", 8, workloads / "burn.py") as target:
        run = profiler.Run(tmp_path, "--pid", target.pid, "-F", 499, "-v")
        target.process.stdout.readline()  # burn.py runs
        profiler.let_use_cpu(run, [target.pid], 0.5)
        run.interrupt()
        run.finish()
    assert run.stats["outcomes"]["new_process"] > 0, "used without a proof at once"
    assert run.stats["outcomes"]["no_frames"] > 0, "never used before there was a frame"
    assert "used without a proof" in run.err
    assert total_of(run, target.pid, "burn") > 50


def test_loaded_late(compiled, workloads, tmp_path):
    """A program that is not Python when it is first looked at is looked at again when it has lived as long
    once more."""
    program = compiled("embed_late")
    with profiler.target(program, 0.5, LIBRARY, workloads / "burn.py") as target:
        run = profiler.Run(tmp_path, "-a", "-F", 499)
        target.process.stdout.readline()
        begin = time.monotonic()
        age = begin - started(target.pid)
        profiler.let_use_cpu(run, [target.pid], 2, seconds=2 * age + 1)
        run.interrupt()
        run.finish()
    assert run.stats["outcomes"]["not_python"] > 0
    assert total_of(run, target.pid, "burn") > 50


def started(pid):
    """When a process began, on the clock of time.monotonic()."""
    with open("/proc/%d/stat" % pid) as f:
        return int(f.read().rsplit(")", 1)[1].split()[19]) / os.sysconf("SC_CLK_TCK")


def test_uwsgi(tmp_path):
    if not shutil.which("uwsgi_python3"):
        pytest.skip("SKIP uwsgi: no uwsgi-plugin-python3")
    (tmp_path / "application.py").write_text(
        "from time import thread_time\n"
        "def view():\n    end = thread_time() + 0.05\n    while thread_time() < end: pass\n"
        "def application(environ, start_response):\n"
        "    start_response('200 OK', [])\n    view()\n    return [b'x']\n")
    port = free_port()
    command = ["uwsgi_python3", "--http-socket", "127.0.0.1:%d" % port, "--wsgi-file", "application.py",
               "--master",
               "--processes", "2", "--threads", "2", "--need-app", "--die-on-term"]
    server = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        profiler.wait_until(lambda: answers(port), what="answer of uwsgi")
        run = profiler.Run(tmp_path, "-a", "-F", 499)
        profiler.wait_until(lambda: profiler.samples_cpus(run), what="perf events")
        for _ in range(40):  # 2 s of CPU time
            assert answers(port)
        run.interrupt()
        run.finish()
    finally:
        server.terminate()
        server.wait(120)
    found = [s for s in run.samples if "view" in profiler.functions(s) and
             profiler.marker_of(s.stack) is None]
    assert profiler.total(found) > 50, run.err
    assert all(s.stack[-1][0] == "application" for s in found)


def answers(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    try:
        connection.request("GET", "/")
        return connection.getresponse().read() == b"x"
    except OSError:
        return False
    finally:
        connection.close()


@pytest.mark.parametrize("gil", ("shared", "own"))
def test_subinterpreters(version, workloads, tmp_path, gil):
    with profiler.target(version.path, workloads / "subinterpreters.py", gil) as target:
        if "skip" in target.about:
            pytest.skip("SKIP not-applicable: " + target.about["skip"])
        run = profiler.run_while(tmp_path, [target], 2, "-F", 499)
    whole = [s for s in run.samples if profiler.marker_of(s.stack) is None]
    assert profiler.total(whole) > 0.95 * profiler.total(run.samples) > 100
    for name in ("main", "first", "second"):
        found = [s for s in whole if "burn_in_" + name in profiler.functions(s)]
        assert profiler.total(found) > 20, name
        assert len({s.tid for s in found}) == 1, name
        assert all(("main" in profiler.functions(s)) == (name == "main") for s in found)
    # Nobody's stack has another interpreter's functions.
    for s in whole:
        assert len({f for f in profiler.functions(s) if f.startswith("burn_in_")}) <= 1
