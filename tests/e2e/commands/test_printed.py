# SPDX-License-Identifier: GPL-2.0-only
"""Every command line that stands in a page, in `pyperf-bpf guide` or in --help runs as it is printed, in a
folder with the files that it names. tests/lib/printed.py says what is put into it, and what is not run."""
import concurrent.futures
import contextlib
import gzip
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time

import pytest

import printed
import profiler
from local_server import LocalServer, reply
from protobuf import varint
from serving import free_port, server

EVERYTHING = printed.everything()
pytestmark = pytest.mark.all  # it takes two minutes, and runs what other tests have run
LINES = [line for line in EVERYTHING if not printed.is_left_out(line)]
# Nobody shall have to read: 4 is what --fail-over is for.
CODES = {"--fail-over": (0, 4), "--of": (0, 3)}  # 3: in the profile of these programs it does not stand out
GUNICORN = profiler.ROOT / ".cache/web/bin/gunicorn"
TRACES = sorted({name for line in LINES for name in re.findall(r"\b[0-9a-f]{32}\b", line.text)})
READ = re.compile(r"[\w-]+(?:/\*)?\.(?:pb|otlp)\.gz\b")  # profiles that a line reads
PROGRAMS = {
    "app.py": "import sum_up\n"
              "def app(environ, start_response):\n"
              "    return []\n",
    "sum_up.py": "for n in range(30):\n    sum(range(100000))\n",
    "service.py": "import sum_up\n",
    "build.py": "import sum_up\n",
    "pandas.py": "import sum_up\n",
}


class Taker(LocalServer):
    """Takes what is pushed, whatever it is: tests/e2e/push has receivers that do not."""

    METHOD = "POST"

    def __init__(self, answer):
        self.text = answer
        super().__init__()

    def answer(self, request):
        request.rfile.read(int(request.headers["Content-Length"]))
        reply(request, 200, self.text)


@contextlib.contextmanager
def receivers():
    takers = {kind: Taker(answer) for kind, answer in
              (("pyroscope", b"{}"), ("parca", b"{}"), ("otlp", b""))}
    try:
        yield {kind: taker.authority for kind, taker in takers.items()}
    finally:
        for taker in takers.values():
            taker.close()


def copy_of(profile, minutes):
    """The same, as if it had been taken so many minutes ago: of a field that is there twice the last one
    counts."""
    when = int((time.time() - 60 * minutes) * 1e9)
    return gzip.compress(gzip.decompress(profile) + b"\x48" + varint(when))


def write_profiles(folder, text, profile, log):
    """What the line reads: each of these names."""
    names = READ.findall(text) if printed.command_of(text) in ("report", "diff") else []
    for name in names:
        path = folder / name.replace("*", "one")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(log if ".otlp." in name else profile)
    last = text.split()[-1]
    if printed.command_of(text) == "report" and re.fullmatch("[A-Za-z]+", last):
        (folder / last).mkdir()
        for minutes in 0, 60, 90:
            path = folder / last / ("pyperf-bpf-%d.pb.gz" % minutes)
            path.write_bytes(copy_of(profile, minutes))


def run(text, folder, env):
    """On a terminal of its own where it draws. Returns the exit code and all that was said."""
    ours, theirs = pty.openpty() if printed.command_of(text) == "top" else os.pipe()
    stdin = theirs if os.isatty(theirs) else subprocess.DEVNULL
    with open(folder / "said", "w+") as said:
        out = theirs if os.isatty(theirs) else said
        process = subprocess.Popen(["sh", "-c", text], cwd=folder, env=env, stdin=stdin, stdout=out,
                                   stderr=said, start_new_session=True)
        os.close(theirs)
        try:
            end = time.monotonic() + 300
            while process.poll() is None and time.monotonic() < end:
                with contextlib.suppress(OSError):  # EIO: nobody has the terminal any more
                    if select.select([ours], [], [], 0.05)[0] and not os.read(ours, 65536):
                        process.wait(end - time.monotonic())
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            os.close(ours)
        said.seek(0)
        return process.returncode, said.read()


@pytest.fixture(scope="module")
def place(tmp_path_factory, workloads):
    folder = tmp_path_factory.mktemp("place")
    bin_ = folder / "bin"
    bin_.mkdir()
    (bin_ / "pyperf-bpf").symlink_to(profiler.BINARY)
    (bin_ / "python3").symlink_to(sys.executable)
    (folder / "token").write_text("word-of-a-test-that-runs-lines\n")
    (folder / "headers").write_text("Authorization: Bearer of-a-test\n")
    if GUNICORN.exists():
        (bin_ / "gunicorn").symlink_to(GUNICORN)
    (folder / "speedscope").mkdir()
    (folder / "speedscope" / "index.html").write_text("<p>tests/e2e/serving has the real one</p>")
    (folder / "programs").mkdir()
    for name, text in PROGRAMS.items():
        (folder / "programs" / name).write_text(text)
    env = {**os.environ, "PATH": "%s:%s" % (bin_, os.environ["PATH"]),
           "PYTHONPATH": sysconfig.get_paths()["purelib"], "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, workloads / "documented.py", *TRACES]
    with profiler.targets([command, command], env=env) as two, receivers() as takers:
        yield folder, two, takers, env


@pytest.fixture(scope="module")
def filled(place, tmp_path_factory):
    """(Place, a profile, a log, env)"""
    folder, two, takers, env = place
    pids = ",".join(str(one.pid) for one in two)
    socket, log = folder / "socket", folder / "log.otlp.gz"
    kinds = "cpu,offcpu,gil,memory,tasks,loop"
    ran = profiler.run(folder, "--pid", pids, "-d", 3, "-F", 499, "--event", kinds, "--by", "endpoint",
                       "--label-var", "tenant", stats=False)
    arguments = ("--pid", pids, "--event", "cpu,offcpu,gil", "--log", 5, "--trace", "otel")
    with server(folder, *arguments, "--log-file", log, stats=False) as s, \
            profiler_at(folder, "unix:%s" % socket, arguments):
        for trace in TRACES:
            profiler.wait_until(lambda: has_trace(s.url, trace), what="samples of each trace")
        s.run.process.send_signal(signal.SIGUSR2)
        profiler.wait_until(log.exists, what="the log")
        yield (printed.Place([one.pid for one in two], s.url, str(socket), takers, str(folder),
                             str(folder / "speedscope")),
               ran.path.read_bytes(), log.read_bytes(), env, folder)


def has_trace(url, trace):
    return not subprocess.run([profiler.BINARY, "report", "--trace", trace, url], timeout=300,
                              capture_output=True).returncode


@contextlib.contextmanager
def profiler_at(folder, address, arguments):
    ran = profiler.Run(folder, *arguments, "--listen", address, output=None, stats=False)
    try:
        yield ran
    finally:
        ran.kill()


def run_line(line, at, profile, log, env, home):
    with tempfile.TemporaryDirectory(dir=home) as folder:
        folder = pathlib.Path(folder)
        for name in PROGRAMS:
            shutil.copy(home / "programs" / name, folder)
        write_profiles(folder, line.text, profile, log)
        text = printed.filled(line.text, at, free_port(), folder)
        return (text, *run(text, folder, env))


@pytest.fixture(scope="module")
def results(filled, request):
    """{line: what came of it}, of those that are asked for, several at once: they mostly wait."""
    asked = {item.callspec.params.get("line") for item in request.session.items
             if item.path == request.path and hasattr(item, "callspec")}
    with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        started = {line: pool.submit(run_line, line, *filled) for line in LINES if line in asked}
        return {line: one.result() for line, one in started.items()}


@pytest.mark.parametrize("line", LINES, ids=lambda line: "%s: %s" % line)
def test_runs(line, results):
    text, code, said = results[line]
    if " gunicorn " in text and not GUNICORN.exists():
        pytest.skip("SKIP web: the packages of tests/web-requirements.txt are not here")
    allowed = next((codes for word, codes in CODES.items() if word in text), (0,))
    assert code in allowed, "%s\n%s" % (text, said)
    assert "pyperf-bpf: error" not in said, "%s\n%s" % (text, said)


def test_there_are_many():
    assert len(LINES) > 100 and {"guide", "--help", "report --help", "docs/usage.md"} <= {
        line.where for line in LINES}


@pytest.mark.parametrize("start", printed.NOT_RUN)
def test_a_reason_is_needed(start):
    """None stands there that no line has any more."""
    assert any(re.match(start, line.text) for line in EVERYTHING)
