# SPDX-License-Identifier: GPL-2.0-only
"""What each of the profiler's processes may still do while it samples, as /proc says it: the profiler, the
zygote that makes workers, the worker and the parser beside it, and those that were made after these had been
killed. Every bit too many fails, and so does what needs a bit that is gone."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

import pytest

import interpreters as known
import mcp_client
import profiler
import serving
from rights import (CAPABILITIES, children, filters, just, parsers_of, sets, status, workers_of,
                    zygote_of)

FOUR = "-all,+bpf,+perfmon,+sys_ptrace,+dac_read_search"
SOMEBODY = 12345
OTHER_USER = ["setpriv", "--reuid=%d" % SOMEBODY, "--regid=%d" % SOMEBODY, "--clear-groups"]
# The DaemonSet: user 0, who gets what the bounding set has. The unit: a user of its own, with ambient ones.
# setcap: any user, and the capabilities are the file's.
GIVEN = {
    "root": [],
    "pod": ["setpriv", "--bounding-set=" + FOUR],
    "unit": OTHER_USER + ["--inh-caps=" + FOUR, "--ambient-caps=" + FOUR, "--bounding-set=" + FOUR],
    "setcap": OTHER_USER,
}
PARANOID = int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())


def has_given_up(run, *names):
    """Waits until it has: that is a moment after the perf events are there. All of its threads have."""
    pid = run.process.pid
    profiler.wait_until(lambda: profiler.samples_cpus(run) or run.process.poll() is not None,
                        what="perf events")
    profiler.wait_until(lambda: run.process.poll() is not None or sets(pid) == just(*names),
                        what="just %s" % (names,))
    for task in os.listdir("/proc/%d/task" % pid):
        assert sets(pid, task) == just(*names)


READERS = "sys_ptrace", "dac_read_search"
# What is open beside /dev/null, by the name of the process. The zygote has a descriptor of each process too.
OPEN = {"pyperf-zygote": ["/memfd", "socket"], "pyperf-worker": ["/memfd", "socket", "socket"],
        "pyperf-parser": ["socket"]}


def descriptors(pid):
    """What is open, by kind."""
    kinds = []
    for entry in os.scandir("/proc/%d/fd" % pid):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            link = os.readlink(entry.path).replace("anon_inode:[pidfd]", "pidfd:")
            kinds.append(re.sub(r"^(/memfd|socket|pidfd):.*", r"\1", link))
    return sorted(kinds)


def has_just_its_own(pid):
    """Beside a file that it looks at for a moment."""
    kinds, name = descriptors(pid), status(pid)["Name"]
    processes = kinds.count("pidfd") if name == "pyperf-zygote" else 0
    return kinds == sorted(["/dev/null"] * 3 + ["pidfd"] * processes + OPEN[name])


def is_confined(pid, *capabilities):
    """No bit too many, nothing of BPF mapped, nothing open but what it needs: the sockets to whoever asks it
    and whom it asks, and the file of line tables."""
    # What the zygote forks has its filter from the beginning, and its own is the last before it begins. The
    # zygote was forked before the profiler had one.
    inherited = 0 if status(pid)["Name"] == "pyperf-zygote" else filters(int(status(pid)["PPid"]))
    profiler.wait_until(lambda: filters(pid) > inherited, what="seccomp filter")
    assert sets(pid) == just(*capabilities)
    profiler.wait_until(lambda: has_just_its_own(pid), what="no descriptors beyond its own")
    mapped = pathlib.Path("/proc/%d/maps" % pid).read_text()
    assert "rw-s" not in mapped and "bpf-map" not in mapped and "perf_event" not in mapped


def burn(workloads):
    return profiler.target(known.newest().path, workloads / "burn.py")


def next_pair(run, workloads):
    """Worker and parser are made when something is to be looked at: a program that is new."""
    for _ in range(20):
        with burn(workloads):
            for _ in range(50):
                workers, parsers = workers_of(run), parsers_of(run)
                if workers and parsers:
                    return workers[0], parsers[0]
                time.sleep(0.02)
    raise AssertionError("no worker")


def are_confined(pair, more):
    worker, parser = pair
    is_confined(worker, *READERS, *more)
    is_confined(parser)


def ends_both(run, victim, pair):
    """Who loses its neighbour ends as well."""
    os.kill(victim, signal.SIGKILL)
    profiler.wait_until(lambda: not {*workers_of(run), *parsers_of(run)} & {*pair}, what="end of both")


def with_file_capabilities(folder):
    """A copy of the profiler whose capabilities are the file's, as setcap(8) makes it."""
    copy = shutil.copy(profiler.BINARY, folder / "pyperf-bpf")
    mask = sum(1 << CAPABILITIES[name] for name in ("bpf", "perfmon", "sys_ptrace", "dac_read_search"))
    effective, revision_2 = 1, 0x02000000
    low, high = mask & 0xffffffff, mask >> 32
    os.setxattr(copy, "security.capability", struct.pack("<5I", revision_2 | effective, low, 0, high, 0))
    return str(copy)


def kept_for_ticks():
    return ["perfmon", "sys_admin"] if PARANOID > 2 else ["perfmon"]


@pytest.fixture
def folder():
    """One that every user can reach, unlike those of pytest."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="pyperf-privileges-", dir="/tmp"))
    path.chmod(0o777)
    yield path
    shutil.rmtree(path)


def binary_of(how, folder):
    """The profiler, for one of GIVEN."""
    if how != "root" and PARANOID > 2:
        pytest.skip("SKIP %s: kernel.perf_event_paranoid is %d" % (how, PARANOID))
    if how == "setcap" and os.statvfs(folder).f_flag & os.ST_NOSUID:
        pytest.skip("SKIP not-applicable: no capabilities of files in /tmp (nosuid)")
    return with_file_capabilities(folder) if how == "setcap" else profiler.BINARY


@pytest.fixture
def running(request, folder):
    """A run over all Python processes, as one of GIVEN."""
    binary = binary_of(request.param, folder)
    run = profiler.Run(folder, "-a", binary=[*GIVEN[request.param], binary])
    run.how = request.param
    yield run
    run.kill()


def test_every_kind_with_four(workloads, tmp_path):
    """All that can be asked for, as the DaemonSet asks for it: no part needs a right of its own. A type that
    the kernel does not have, for one, is looked for in its modules, which only CAP_SYS_ADMIN may see."""
    kinds = [event.key for event in profiler.EVENTS if event.asked]
    assert "memory" in kinds and "loop" in kinds
    with burn(workloads) as target:
        run = profiler.run(tmp_path, "--pid", target.pid, "--event", ",".join(kinds), "-d", 2,
                           "--loop-exact", "--async", "--native", "full", "--kernel", "full", "--log", "1",
                           binary=(*GIVEN["pod"], profiler.BINARY))
    assert sum(sample.values["cpu"] for sample in run.of(target.pid)) > 0


@pytest.mark.parametrize("running", GIVEN, indirect=True)
def test_no_bit_too_many(running, workloads):
    with burn(workloads) as target:
        has_given_up(running, *kept_for_ticks())
        own = int(status(os.getpid())["CapPrm"], 16)
        more = [name for name in ("checkpoint_restore",)
                if running.how == "root" and own & 1 << CAPABILITIES[name]]
        is_confined(zygote_of(running), *READERS, *more)
        pairs = []
        for killed in range(3):  # the worker of the first pair, the parser of the second
            pairs.append(next_pair(running, workloads))
            are_confined(pairs[-1], more)
            if running.how == "root":  # who may change bounding sets has emptied them
                for pid in running.process.pid, zygote_of(running), *pairs[-1]:
                    assert int(status(pid)["CapBnd"], 16) == 0
            if killed < 2:
                ends_both(running, pairs[-1][killed], pairs[-1])
        assert len({pid for pair in pairs for pid in pair}) == 6
        profiler.let_use_cpu(running, [target.pid], 1)
        running.interrupt()
        running.finish()
    assert any(sample.stack[0][0] == "burn" for sample in running.of(target.pid))


def test_whatever_it_starts_later(folder, workloads):
    """Children that write files, threads that encode: they begin when everything has been given up."""
    seen = set()
    with burn(workloads) as target:
        run = profiler.Run(folder, "--pid", target.pid, "--output-dir", folder, "--interval", "0.3",
                           output=None)
        try:
            has_given_up(run, *kept_for_ticks())
            zygote, end = zygote_of(run), time.monotonic() + 240
            while len(seen) < 3 and time.monotonic() < end:
                text = pathlib.Path("/proc/%d/task/%d/children" % (run.process.pid, run.process.pid))
                for child in set(map(int, text.read_text().split())) - {zygote}:
                    with contextlib.suppress(FileNotFoundError, ProcessLookupError, KeyError):
                        assert sets(child) == just(*kept_for_ticks())
                        seen.add(child)
            run.interrupt()
        finally:
            run.finish()
    assert len(seen) >= 3, "no child was met"


@pytest.mark.parametrize("running", ["root"], indirect=True)
def test_without_zygote(running, workloads):
    """Nobody could make a worker any more: the run ends, says so, and keeps what it has."""
    with burn(workloads) as target:
        profiler.let_use_cpu(running, [target.pid], 1)
        os.kill(zygote_of(running), signal.SIGKILL)
        running.finish(code=1)
    assert "zygote" in running.err
    assert profiler.read_samples(running.path)


def status_when_answered(server):
    """Of the main process, at the first answer that there is."""
    while server.run.process.poll() is None:
        with contextlib.suppress(OSError):
            assert server.get("/healthz", timeout=300).status == 200
            return sets(server.run.process.pid)
        time.sleep(0.02)
    raise AssertionError("it has ended")


def status_when_asked(server, listener):
    """... when it first asks the kubelet."""
    listener.accept()[0].close()
    return sets(server.run.process.pid)


def begun_workers(run):
    """Those that look at what they are asked: they have filters of their own."""
    assert run.process.poll() is None, run.finish(code=None).err
    return [pid for zygote in children(run.process.pid, "pyperf-zygote")
            for pid in children(zygote, "pyperf-worker") if filters(pid) > filters(zygote)]


def test_others_are_heard_last(folder, workloads):
    """Nobody who asks over HTTP and no kubelet is talked to with rights, however long it takes until all
    processes have been looked at: here the zygote and its worker stand still."""
    (folder / "token").write_text("secret")
    with burn(workloads), socket.create_server(("127.0.0.1", 0)) as listener:
        url = "https://127.0.0.1:%d" % listener.getsockname()[1]
        server = serving.Server(folder, "-a", "--pod-label", "app", "--kubelet", url, "--kubelet-token-file",
                                folder / "token", ready=False)
        try:
            answered = serving.Later(status_when_answered, server)
            asked = serving.Later(status_when_asked, server, listener)
            profiler.wait_until(lambda: begun_workers(server.run), what="worker")
            for pid in zygote_of(server.run), *workers_of(server.run):
                os.kill(pid, signal.SIGSTOP)
            assert answered.get(120) == asked.get(120) == just(*kept_for_ticks())
        finally:
            server.run.kill()


def test_folder_of_another_user(folder, workloads):
    """Root may write there, if it keeps what that takes."""
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    os.chown(closed, SOMEBODY, SOMEBODY)
    with burn(workloads) as target:
        run = profiler.Run(closed, "--pid", target.pid)
        try:
            has_given_up(run, "dac_read_search", "dac_override", *kept_for_ticks())
            profiler.let_use_cpu(run, [target.pid], 0.5)
            run.interrupt()
        finally:
            run.finish()
    assert profiler.total(run.of(target.pid)) > 0


def test_socket_in_a_folder_of_another_user(folder, workloads):
    """... and take away there what it has made."""
    closed = folder / "closed"
    closed.mkdir(mode=0o755)
    os.chown(closed, SOMEBODY, SOMEBODY)
    with burn(workloads) as target:
        run = profiler.Run(folder, "--pid", target.pid, "--listen", "unix:%s/socket" % closed, output=None)
        try:
            has_given_up(run, "dac_read_search", "dac_override", *kept_for_ticks())
            assert os.listdir(closed) == ["socket"]
            run.process.terminate()
        finally:
            run.finish()
    assert os.listdir(closed) == []


@contextlib.contextmanager
def that_says_nothing(*arguments):
    """A command whose stdout is a pipe that is full: it stands still when it has found its answer."""
    from_pipe, to_pipe = os.pipe()
    os.set_blocking(to_pipe, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(to_pipe, b" ")
    os.set_blocking(to_pipe, True)
    process = subprocess.Popen([profiler.BINARY, *map(str, arguments)], stdout=to_pipe,
                               stderr=subprocess.PIPE, text=True)
    os.close(to_pipe)
    try:
        yield process
        with open(from_pipe, closefd=False) as pipe:
            assert pipe.read().strip(), process.stderr.read()
    finally:
        process.kill()
        process.communicate()
        os.close(from_pipe)


def is_waiting_to_write(process):
    assert process.poll() is None, process.stderr.read()
    return pathlib.Path("/proc/%d/wchan" % process.pid).read_text() in ("pipe_write", "anon_pipe_write")


@pytest.fixture(scope="module")
def recorded(workloads, tmp_path_factory):
    with burn(workloads) as target:
        return profiler.run(tmp_path_factory.mktemp("recorded"), "--pid", target.pid, "-d", 1).path


@pytest.mark.parametrize("command, kept", [
    (("report", "PROFILE"), ["dac_read_search"]), (("diff", "PROFILE", "PROFILE"), ["dac_read_search"]),
    (("dump", "--pid", "PID"), ["sys_ptrace"]), (("tasks", "--pid", "PID"), ["sys_ptrace"]),
    (("doctor", "--pid", "PID"), ["sys_ptrace"])], ids=lambda value: value[0])
def test_commands(recorded, command, kept):
    """They have read what is foreign with a list of system calls, and with what they need."""
    known_words = {"PROFILE": recorded, "PID": os.getpid()}
    with that_says_nothing(*(known_words.get(word, word) for word in command)) as process:
        profiler.wait_until(lambda: is_waiting_to_write(process), what="answer")
        assert sets(process.pid) == just(*kept)


@pytest.mark.parametrize("option", [("--kubelet", "--pod-label", "app"), ("--push",)], ids=lambda o: o[0])
def test_doctor_asks_without_rights(folder, option):
    """The kubelet and the receiver are foreign: it has given up its rights when it asks them."""
    (folder / "token").write_text("secret")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        scheme = "https" if option[0] == "--kubelet" else "pyroscope+http"
        url = "%s://127.0.0.1:%d" % (scheme, listener.getsockname()[1])
        more = ("--kubelet-token-file", folder / "token") if option[0] == "--kubelet" else ()
        doctor = subprocess.Popen([profiler.BINARY, "doctor", option[0], url, *option[1:], *more],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            listener.settimeout(300)
            connection, _ = listener.accept()
            assert sets(doctor.pid) == just("sys_ptrace")
            connection.close()
        finally:
            listener.close()
            doctor.communicate()
    assert doctor.returncode == 1, "nobody has answered"


@pytest.mark.parametrize("how", ["root", *(pytest.param(how, marks=pytest.mark.all) for how in GIVEN
                                           if how != "root")])
def test_mcp(how, folder, workloads):
    """It uses none of its rights, and hands on what tools need, however these came to it."""
    binary = binary_of(how, folder)
    own = int(status(os.getpid())["CapPrm"], 16)
    more = ["checkpoint_restore"] + (["sys_admin"] if PARANOID > 2 else []) if how == "root" else []
    kept = just("bpf", "perfmon", "sys_ptrace", "dac_read_search", *more)["CapPrm"] & own
    with burn(workloads) as target, mcp_client.Server(binary=[*GIVEN[how], binary]) as server:
        now = status(server.process.pid)
        assert now["NoNewPrivs"] == "1" and int(now["CapEff"], 16) == 0 and int(now["CapPrm"], 16) == kept
        assert how != "root" or int(now["CapBnd"], 16) & ~kept == 0
        answer = server.call("record", pid=target.pid, seconds=1)
        assert answer["books"]["outcomes"]["whole"] > 0
        rows = answer["report"]["tables"][0]["rows"]
        assert any(row["name"].startswith("burn") for row in rows), rows
        threads = server.call("dump", pid=target.pid)["answer"]["processes"][0]["threads"]
        assert any(frame["function"] == "burn" for frame in threads[0]["frames"])


@pytest.mark.parametrize("how", ["root", "unit"])
def test_command(how, folder):
    """Root's COMMAND is root, as ever. Nothing ambient is handed on, and nobody sets no_new_privs for it."""
    if how == "unit" and PARANOID > 2:
        pytest.skip("SKIP unit: kernel.perf_event_paranoid is %d" % PARANOID)
    run = profiler.run(folder, "--", "cat", "/proc/self/status", output="out.pb.gz",
                       binary=[*GIVEN[how], profiler.BINARY])
    now = dict(line.split(":\t", 1) for line in run.out.splitlines() if ":\t" in line)
    own = {name: int(status(os.getpid())[name], 16) for name in ("CapPrm", "CapBnd")}
    assert int(now["CapAmb"], 16) == 0
    assert int(now["CapPrm"], 16) == (own["CapPrm"] if how == "root" else 0)
    assert now["NoNewPrivs"] == "0" and now["Seccomp"] == "0"
    if how == "root":
        assert int(now["CapBnd"], 16) == own["CapBnd"]
