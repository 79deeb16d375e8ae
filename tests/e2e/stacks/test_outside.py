# SPDX-License-Identifier: GPL-2.0-only
"""--trigger outside: the sampler as a process of a user without any right. Its stacks are judged as those of
the kernel's home are, and its books are the same."""
import collections
import importlib.metadata
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig

import pytest

import interpreters as known
import pprof
import pprof_rows
import profiler
from edges import Judge
from examined import NOBODY, in_namespace
from serving import server

OUTSIDE = "--trigger", "outside"
PACKAGES = pathlib.Path(sysconfig.get_paths()["purelib"])
CPU = 1  # seconds of CPU time


def copy_for_nobody(folder, base, files):
    """Copies these files of base, which perhaps only root may read, to where anybody may. Returns folder."""
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(base / file, folder / file)
    subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
    return folder


def as_nobody(interpreter):
    """Whether nobody may run this interpreter."""
    return not subprocess.run([*NOBODY, interpreter.path, "-c", ""], capture_output=True).returncode


def usable():
    """One of each version, the newest last."""
    found = {i.minor: i for i in reversed(known.available()) if as_nobody(i)}
    return sorted(found.values(), key=lambda i: i.version)


def test_nobody_profiles_a_command(open_folder):
    """All versions: each burns CPU time in which some 150 looks are due. The books balance (Run.finish)."""
    chosen = usable()
    assert chosen
    script = ("import time\nclock = getattr(time, 'process_time', None) or time.clock\n"
              "def burn():\n    while clock() < 0.5: pass\nburn()")
    for interpreter in chosen:
        run = profiler.Run(open_folder, *OUTSIDE, "-F", 299, "--", interpreter.path, "-c", script,
                           binary=[*NOBODY, profiler.BINARY])
        run.finish()
        assert run.stats["trigger"] == "outside"
        mine = profiler.share(run.samples, lambda s: any(f[0] == "burn" for f in s.stack))
        assert profiler.total(run.samples) > 30 and mine > 0.8, (interpreter.name, run.samples)
    rows = pprof_rows.top(run.path, "samples", "count")
    assert rows["burn <string>"][0] > 30, rows


def look_while_it_uses_cpu(directory, target, *arguments):
    """A run that has looked at a program for CPU seconds of its time, and goes on."""
    run = profiler.Run(directory, *OUTSIDE, *arguments, "--pid", target.pid)
    profiler.wait_until(lambda: samplers_of(run.process.pid) or run.process.poll() is not None,
                        what="the sampler")
    until = profiler.cpu_seconds(target.pid) + CPU
    profiler.wait_until(lambda: profiler.cpu_seconds(target.pid) > until or run.process.poll() is not None,
                        what="CPU time of the program")
    return run


def looks(s, *outcomes):
    return sum(count for (name, labels), count in s.metrics().items() if name == "pyperf_outcomes_total" and
               (not outcomes or dict(labels)["outcome"] in outcomes))


@pytest.mark.parametrize("python", [i for i in known.one_per_version() if i.version >= (3, 6)],
                         ids=lambda i: i.name)
def test_no_impossible_stack(python, workloads, tmp_path):
    """No caller, and no line of one, is of another moment. How many stacks are whole depends on who else
    wants the CPU between two walks."""
    with profiler.target(python.path, workloads / "edges.py") as target, \
            server(tmp_path, *OUTSIDE, "-F", 999, "--pid", target.pid, output="profile.pb.gz") as s:
        profiler.let_use_cpu(s.run, [target.pid], CPU)
        profiler.wait_until(lambda: looks(s) > 200 and looks(s, "whole") > 50, what="looks")
        s.end()
    run, judge, whole = s.run, Judge(target.about), 0
    samples = [sample for sample in run.of(target.pid) if sample.count]  # not its time that no look has met
    for sample in samples:
        marker = profiler.marker_of(sample.stack)
        whole += sample.count * (marker is None)
        faults = judge.faults(sample.stack if marker is None else sample.stack[:-1], rooted=marker is None)
        assert not faults, (faults, sample)
    assert profiler.total(samples) > 100 and whole > 30, samples


BUSY = "import time\nwhile time.process_time() < %d: pass" % CPU


@pytest.mark.parametrize("command", [
    NOBODY,
    ["setpriv", "--bounding-set=-sys_admin,-bpf,-perfmon", "--inh-caps=-sys_admin,-bpf,-perfmon", "--"],
    ["unshare", "--user", "--map-root-user", "--"],
    ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--"],
], ids=["nobody", "container", "user namespace", "pid namespace"])
def test_where_bpf_is_refused(command, open_folder):
    """It is said once, in the profile, too; and what was sampled is there."""
    if subprocess.run([*command, "true"], capture_output=True).returncode:
        pytest.skip("SKIP namespaces: this machine has none for a user")
    run = profiler.Run(open_folder, "--", usable()[-1].path, "-c", BUSY, binary=[*command, profiler.BINARY])
    run.finish()
    assert run.err.count("BPF is refused here (") == 1 and "Sampling from outside at 99 Hz" in run.err
    assert run.stats["trigger"] == "outside" and profiler.total(run.samples) > 30
    assert "sampled from outside" in "".join(pprof.read(run.path).comments)


def test_make_run(open_folder):
    """The demo alone, since nothing else may be looked at, or not by somebody without BPF."""
    demo = profiler.ROOT / "deploy" / "demo"
    demo = copy_for_nobody(open_folder / "demo", demo, [path.name for path in demo.iterdir()])
    binary = shutil.copy(profiler.BINARY, open_folder)
    done = subprocess.run([*NOBODY, "sh", demo / "run.sh", binary], cwd=open_folder,
                          capture_output=True, text=True)
    assert done.returncode == 0 and "BPF is not to be had here (" in done.stdout, done
    samples = profiler.read_samples(open_folder / "profile.pb.gz")
    assert profiler.total(samples) > 30
    assert {"compress_and_hash", "escape_time", "quick_sort"} <= {f[0] for s in samples for f in s.stack}


FLASK = """
import hashlib, os, threading, time, urllib.request
from flask import Flask
from werkzeug.serving import make_server
app = Flask("app")
@app.route("/")
def handler():
    return hashlib.sha256(b"".join(b"%d" % i for i in range(60000))).hexdigest()
server = make_server("127.0.0.1", 0, app, threaded=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
while time.process_time() < 3:
    urllib.request.urlopen("http://127.0.0.1:%d/" % server.port).read()
os._exit(0)
"""


def test_a_flask_server(open_folder):
    """Each request is answered in a thread of its own, which lives for some milliseconds."""
    for name in "flask", "werkzeug", "jinja2", "markupsafe", "itsdangerous", "click", "blinker":
        files = [file for file in importlib.metadata.files(name) if file.suffix != ".pyc"]
        packages = copy_for_nobody(open_folder / "packages", PACKAGES,
                                   [file for file in files if ".." not in file.parts])
    run = profiler.Run(open_folder, "--", os.path.realpath(sys.executable), "-c", FLASK,
                       binary=[*NOBODY, profiler.BINARY],
                       env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": packages})
    run.finish()
    named = [[frame[0] for frame in sample.stack] for sample in run.samples
             for _ in range(sample.count)]
    handled = [names for names in named if "handler" in names]
    assert len(named) > 60 and len(handled) > 20, named
    assert all("Flask.dispatch_request" in n or "dispatch_request" in n for n in handled), handled


@pytest.mark.parametrize("arguments, code", [
    (["--event", "offcpu"], 2), (["--native", "full"], 2), (["--all"], 2), (["--trigger", "perf"], 1),
    (["--trigger", "timer"], 1)])
def test_what_needs_bpf_says_so(arguments, code, open_folder):
    done = subprocess.run([*NOBODY, profiler.BINARY, "-o", open_folder / "profile.pb.gz", *arguments]
                          + ([] if "--all" in arguments else ["--", "true"]), capture_output=True, text=True)
    assert done.returncode == code and "Sampling from outside" not in done.stderr
    assert done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize("begins", ["late", "at once"])
def test_children_of_the_command(begins, open_folder):
    """One that begins before the profiler knows of its parent, too, as where Python starts in no time."""
    python = usable()[-1].path if begins == "late" else "/usr/bin/python3"
    script = ("import os, time\ndef burn():\n    while time.process_time() < 1: pass\n"
              "def child():\n    burn()\n    os._exit(0)\n"
              "pid = os.fork()\nif not pid: child()\nburn()\nos.waitpid(pid, 0)")
    run = profiler.Run(open_folder, *OUTSIDE, "--", python, "-c", script, binary=[*NOBODY, profiler.BINARY])
    run.finish()
    pids = collections.Counter()
    for sample in run.samples:
        pids[sample.pid] += sample.count * any(f[0] == "burn" for f in sample.stack)
    assert len(pids) == 2 and min(pids.values()) > 20, pids


@pytest.mark.parametrize("arguments", [
    ["--event", "cycles"], ["--event", "offcpu"], ["--event", "cpu,gil"], ["--event", "memory"],
    ["--native", "full"],
    ["--kernel", "full"], ["--async"], ["--label-var", "name"], ["--trace", "otel", "--log", "1"]])
def test_what_cannot_be_had_is_refused(arguments):
    done = subprocess.run([profiler.BINARY, *OUTSIDE, *arguments, "--", "true"], capture_output=True,
                          text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert arguments[0] in done.stderr and "--trigger outside" in done.stderr


@pytest.mark.parametrize("how", [OUTSIDE, NOBODY], ids=["asked for", "BPF is refused"])
def test_a_kernel_that_does_not_count_is_refused(how, open_folder):
    """As without CONFIG_SCHED_INFO, where schedstat is all 0: no look could be proved."""
    (open_folder / "forged").write_text("0 0 0\n")
    forged = in_namespace("mount --bind %s/forged /proc/$$/schedstat" % open_folder)
    command = [profiler.BINARY, *OUTSIDE] if how is OUTSIDE else [*how, profiler.BINARY]
    done = subprocess.run([*forged, *command, "--", "true"], capture_output=True, text=True, cwd=open_folder)
    assert done.returncode == 1 and "CONFIG_SCHED_INFO" in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1 and "Sampling from outside" not in done.stderr, done.stderr
    assert ("BPF is refused here (" in done.stderr) == (how is NOBODY), done.stderr


def test_a_command_that_may_not_be_read(open_folder):
    """Its program file is for execution only: the kernel lets nobody but root read what runs it."""
    closed = shutil.copyfile("/usr/bin/python3", open_folder / "closed")
    closed.chmod(0o111)
    run = profiler.Run(open_folder, "--", closed, "-c", BUSY, binary=[*NOBODY, profiler.BINARY])
    run.finish(code=1)
    assert not profiler.total(run.samples) and run.stats["outcomes"]["forbidden"] > 30
    assert not run.stats["outcomes"]["not_python"]
    assert run.err.count("it lets nobody read it (") == 1 and "CAP_SYS_PTRACE" in run.err, run.err
    assert "nothing was sampled: %s may not be read" % closed in run.err


@pytest.mark.skipif(os.geteuid() != 0, reason="SKIP users: other users want root")
def test_a_process_that_may_not_be_read(workloads, open_folder):
    """It is said before anything is sampled. Beside one that may be read, the run goes on."""
    with profiler.target(known.newest().path, workloads / "burn.py") as target:
        done = subprocess.run([*NOBODY, profiler.BINARY, "--pid", str(target.pid)], capture_output=True,
                              text=True, cwd=open_folder)
    assert done.returncode == 1 and not done.stdout, done
    assert done.stderr.splitlines()[-1].startswith(
        "pyperf-bpf: error: nothing can be sampled: process %d may not be read: " % target.pid), done.stderr


def test_a_command_that_lets_nobody_read_it_any_more(open_folder):
    """What it did before is in the profile."""
    script = ("import ctypes, time\ndef burn(until):\n    while time.process_time() < until: pass\n"
              "burn(1)\nctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\nburn(2)")
    run = profiler.Run(open_folder, "--", "/usr/bin/python3", "-c", script,
                       binary=[*NOBODY, profiler.BINARY])
    run.finish()
    outcomes = run.stats["outcomes"]
    assert profiler.total(run.samples) > 30 and outcomes["forbidden"] > 30, outcomes
    assert outcomes["no_thread_state"] + outcomes["unreadable"] < 10, outcomes
    assert run.err.count("it lets nobody read it (") == 1, run.err
    lost = "%d ticks of processes that may not be read" % outcomes["forbidden"]
    assert "ticks of processes that may not be read" in run.err, run.err
    assert lost in "".join(pprof.read(run.path).comments) and lost in pprof_rows.report(run.path)


def samplers_of(pid):
    found = []
    for child in pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text().split():
        name = pathlib.Path("/proc/%s/comm" % child).read_text()
        found += [int(child)] * (name == "pyperf-sampler\n")
    return found


def test_the_sampler_is_killed(workloads, tmp_path):
    """The run ends, with what there was until then."""
    with profiler.target(known.newest().path, workloads / "burn.py") as target:
        run = look_while_it_uses_cpu(tmp_path, target)
        os.kill(samplers_of(run.process.pid)[0], signal.SIGKILL)
        run.finish(code=1)
    assert "pyperf-sampler, which looks at programs, has ended: the run ends" in run.err
    assert run.path.exists()


def test_it_may_do_no_more_than_a_worker(workloads, tmp_path):
    """A filter, no new privileges, and nothing open but a socket."""
    with profiler.target(known.newest().path, workloads / "burn.py") as target:
        run = look_while_it_uses_cpu(tmp_path, target)
        pid = samplers_of(run.process.pid)[0]
        status = pathlib.Path("/proc/%d/status" % pid)
        profiler.wait_until(lambda: "\nSeccomp:\t2\n" in status.read_text(), what="its filter")
        assert "\nNoNewPrivs:\t1\n" in status.read_text()
        kept = [os.readlink(f.path) for f in os.scandir("/proc/%d/fd" % pid)]
        assert not [k for k in kept if not k.startswith(("socket:", "/dev/null", "/proc/"))], kept
        run.process.send_signal(signal.SIGINT)
        run.finish()
