# SPDX-License-Identifier: GPL-2.0-only
"""As a service: what the manager is told, signs of life in time, and the unit itself,
whose capabilities are tried."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest

import interpreters as known
import profiler

UNIT = profiler.ROOT / "deploy" / "pyperf-bpf.service"


@pytest.fixture(scope="module", params=[known.newest()], ids=str)
def busy(request, workloads):
    with profiler.target(request.param.path, workloads / "edges.py", "--calm") as started:
        yield started


class Manager:
    """The other end of $NOTIFY_SOCKET."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.messages = []  # [(time.monotonic(), {key: value})]

    def wait_for(self, key, seconds=240):
        """The next message that has this key."""
        end = time.monotonic() + seconds
        while True:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            text = self.socket.recv(4096).decode()
            message = dict(line.split("=", 1) for line in text.splitlines())
            self.messages.append((time.monotonic(), message))
            if key in message:
                return message

    def times(self, key):
        return [when for when, message in self.messages if key in message]


def environment(address, **more):
    return dict(os.environ, NOTIFY_SOCKET=address, **{key: str(value) for key, value in more.items()})


@pytest.fixture(params=("path", "abstract"))
def manager(request, tmp_path):
    address = str(tmp_path / "notify") if request.param == "path" else "\0pyperf-test-%d" % os.getpid()
    started = Manager(address)
    started.address = address.replace("\0", "@")
    yield started
    started.socket.close()


def test_life(busy, tmp_path, manager):
    file, folder = tmp_path / "pyperf.conf", tmp_path / "profiles"
    folder.mkdir()
    file.write_text("pid = %d\noutput-dir = %s\ninterval = 0.5\n" % (busy.pid, folder))
    run = profiler.Run(tmp_path, "--config", file, output=None, env=environment(manager.address))
    assert manager.wait_for("READY")["READY"] == "1"
    profiler.wait_until(lambda: len(list(folder.iterdir())) >= 2)
    before = time.monotonic_ns() // 1000
    run.process.send_signal(signal.SIGHUP)
    reloading = manager.wait_for("RELOADING")
    assert reloading["RELOADING"] == "1"
    assert before <= int(reloading["MONOTONIC_USEC"]) <= time.monotonic_ns() // 1000
    assert manager.wait_for("READY")["READY"] == "1"
    file.write_text("broken\n")  # a file that is refused is an end of reloading too
    run.process.send_signal(signal.SIGHUP)
    manager.wait_for("RELOADING")
    manager.wait_for("READY")
    run.process.terminate()
    assert manager.wait_for("STOPPING")["STOPPING"] == "1"
    run.finish()
    assert not manager.times("WATCHDOG"), "nobody asked for signs of life"


def test_signs_of_life_in_time(busy, tmp_path, manager):
    """As far as that is up to the profiler: it has a CPU when it wants one, and so has who looks at the
    clock."""
    limit = 4
    with profiler.before_others():
        run = profiler.Run(tmp_path, "--pid", busy.pid,
                           env=environment(manager.address, WATCHDOG_USEC=limit * 10**6))
        while len(manager.times("WATCHDOG")) < 5:
            manager.wait_for("WATCHDOG")
        run.process.terminate()
        run.finish()
    times = manager.times("WATCHDOG")
    assert all(after - before < limit for before, after in zip(times, times[1:]))
    assert times[-1] - times[0] > limit, "it does not chatter either"


def test_signs_of_life_faster_than_its_own_clock(busy, tmp_path, manager):
    run = profiler.Run(tmp_path, "--pid", busy.pid, env=environment(manager.address, WATCHDOG_USEC=200000))
    manager.wait_for("READY")
    for _ in range(30):
        manager.wait_for("WATCHDOG")
    run.process.terminate()
    run.finish()
    times = sorted(b - a for a, b in zip(manager.times("WATCHDOG"), manager.times("WATCHDOG")[1:]))
    assert times[len(times) // 2] < 0.5, "half of the pauses"


def test_not_meant_for_us(busy, tmp_path, manager):
    run = profiler.Run(tmp_path, "--pid", busy.pid, "-d", 2,
                       env=environment(manager.address, WATCHDOG_USEC=100000, WATCHDOG_PID=1))
    manager.wait_for("STOPPING")
    run.finish()
    assert not manager.times("WATCHDOG")


def test_command_does_not_speak_for_us(tmp_path, manager):
    run = profiler.Run(tmp_path, "-n", 0, "--", "sh", "-c", "env > %s" % (tmp_path / "env"),
                       env=environment(manager.address, WATCHDOG_USEC=1000000))
    manager.wait_for("STOPPING")
    run.finish()
    assert not re.search("^(NOTIFY|WATCHDOG)_", (tmp_path / "env").read_text(), re.M)


@pytest.mark.parametrize("address", ("/nowhere/at/all", "relative", "", "/" + "x" * 200))
def test_manager_that_is_not_there(busy, tmp_path, address):
    run = profiler.run_while(tmp_path, [busy], 0.1, "-n", 0, env=environment(address))
    assert run.err.count("NOTIFY_SOCKET") == 1 and run.samples


def test_unit_is_valid(tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("SKIP systemd-analyze: no such command")
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/usr/local/bin/pyperf-bpf",
                                             str(pathlib.Path(profiler.BINARY).resolve())))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0 and not done.stderr, done.stderr


def test_config_of_the_unit_is_valid(tmp_path):
    """All of it but the folder, which the service manager makes."""
    text = (profiler.ROOT / "deploy" / "pyperf-bpf.conf").read_text()
    (tmp_path / "pyperf.conf").write_text(text.replace("/var/lib/pyperf-bpf",
                                                       str(tmp_path)) + "duration = 1\n")
    done = subprocess.run([profiler.BINARY, "--config", tmp_path / "pyperf.conf"], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_capabilities_of_the_unit_are_enough(busy, tmp_path):
    """As a user of its own who can do nothing else, as DynamicUser and the sets of the unit make it."""
    text = UNIT.read_text()
    sets = [re.search("^%s=(.*)$" % name, text, re.M)[1].split()
            for name in ("AmbientCapabilities", "CapabilityBoundingSet")]
    assert sets[0] == sets[1]
    caps = "-all," + ",".join("+" + name.removeprefix("CAP_").lower() for name in sets[0])
    prefix = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--bounding-set", caps,
              "--inh-caps", caps,
              "--ambient-caps", caps, "--no-new-privs"]
    if subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("SKIP setpriv: it cannot set these capabilities here")
    home = tmp_path / "state"
    home.mkdir()
    os.chown(home, 65534, 65534)
    binary = home / "pyperf-bpf"
    shutil.copy(profiler.BINARY, binary)
    for parent in list(home.parents)[:-2]:
        parent.chmod(parent.stat().st_mode | 0o011)
    run = profiler.Run(tmp_path, "--all-python", "-F", 499, "--interval", 1, "--output-dir", home,
                       output=None, stats=False, binary=(*prefix, binary))
    profiler.end_after(run, [busy.pid], 0.2)
    samples = [s for path in home.glob("*.pb.gz") for s in profiler.read_samples(path)]
    assert profiler.total(s for s in samples if s.pid == busy.pid and "spin" in profiler.functions(s)) > 0
