# SPDX-License-Identifier: GPL-2.0-only
"""One run of the profiler, a child that looks at this process: from when it samples until its file is there.

It says that it samples by the protocol of sd_notify(3), over a socket of ours; nobody sleeps meanwhile. It
is a process group of its own, so a Ctrl-C at the terminal ends it only through stop()."""
from __future__ import annotations

import os
import re
import select
import signal
import socket
import subprocess
import tempfile
from typing import IO, Dict, List, Optional, Sequence

from . import _ptracer

START_SECONDS = 120  # a machine full of processes takes seconds
END_SECONDS = 120
PATH_MAX = 80  # of a folder, so that a socket in it has a name that fits
# What a line has that names rights which are missing.
OF_RIGHTS = re.compile(r"\bCAP_[A-Z]|\bas root\b|ptrace_scope|perf_event_paranoid|lockdown|is refused|"
                       "may not be read")


class ProfilerError(RuntimeError):
    """The profiler failed. `said` has its lines, `code` its exit code (None: it was killed by us)."""

    def __init__(self, message: str, said: Sequence[str] = (), code: Optional[int] = None) -> None:
        super().__init__(message)
        self.said = list(said)
        self.code = code


class NoRights(ProfilerError, PermissionError):
    """It may not look at this process, or not by the means that the options want. The message is the
    profiler's own line, which names what is missing."""

    def __str__(self) -> str:
        return str(self.args[0])


def failure(said: Sequence[str], code: Optional[int]) -> ProfilerError:
    """What its lines say: the error if there is one, else the last warning."""
    lines = [line.partition(": ")[2] for line in said if line.startswith("pyperf-bpf: ")]
    errors = [line for line in lines if line.startswith("error: ")]
    shown = (errors or lines or ["it ended with code %s and said nothing" % code])[-1]
    if "may not be read" in shown:  # why not has been said before
        shown = "; ".join([shown, *(line for line in lines if "no Python frames" in line)])
    kind = NoRights if OF_RIGHTS.search(shown) else ProfilerError
    return kind("pyperf-bpf: " + shown, said, code)


def _environment(socket_path: str) -> Dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WATCHDOG_")}
    environment["NOTIFY_SOCKET"] = socket_path
    return environment


class Running:
    """Opened by start(), which returns when samples are taken."""

    def __init__(self, command: Sequence[str]) -> None:
        self.summary = ""
        self.said: List[str] = []
        self._owner = os.getpid()
        self._errors: IO[str] = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        self._named = _ptracer.allow_children()
        try:
            self._process = self._start(command)
        except BaseException:
            self._close()
            raise

    def _start(self, command: Sequence[str]) -> "subprocess.Popen[str]":
        folder = tempfile.gettempdir()
        folder = folder if len(folder) < PATH_MAX else "/tmp"
        with tempfile.TemporaryDirectory(prefix="pyperf-", dir=folder) as private, \
                socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            path = os.path.join(private, "notify")
            notify.bind(path)
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=self._errors, env=_environment(path), start_new_session=True,
                                       universal_newlines=True, encoding="utf-8", errors="replace")
            samples = False
            try:
                samples = self._wait_until_it_samples(process, notify)
            finally:
                if not samples:
                    process.kill()
                    process.communicate()
        if not samples:
            raise failure(self._read_said(), process.returncode)
        return process

    @staticmethod
    def _wait_until_it_samples(process: "subprocess.Popen[str]", notify: socket.socket) -> bool:
        """False if it has ended: its stdout has nothing before the end."""
        assert process.stdout
        poll = select.poll()
        poll.register(notify, select.POLLIN)
        poll.register(process.stdout, select.POLLIN | select.POLLHUP)
        while True:
            ready = [fd for fd, _ in poll.poll(START_SECONDS * 1000)]
            if notify.fileno() in ready:
                if b"READY=1" in notify.recv(4096):
                    return True
            elif ready:
                process.wait()
                return False
            else:
                raise ProfilerError("pyperf-bpf did not begin to sample within %d s" % START_SECONDS)

    def stop(self) -> None:
        """Ends it and waits until it has written its file. Raises ProfilerError where there is none."""
        if os.getpid() != self._owner:
            return  # a child that was forked meanwhile: the profiler is its parent's
        try:
            if self._process.poll() is None:
                self._process.send_signal(signal.SIGINT)
            self.summary, _ = self._process.communicate(timeout=END_SECONDS)
        except BaseException as error:
            self._process.kill()
            self._process.communicate()
            if isinstance(error, subprocess.TimeoutExpired):
                raise ProfilerError("pyperf-bpf did not end within %d s" % END_SECONDS,
                                    self._read_said()) from None
            raise
        else:
            self._read_said()
            if self._process.returncode:
                raise failure(self.said, self._process.returncode)
        finally:
            self._close()

    def _read_said(self) -> List[str]:
        self._errors.seek(0)
        self.said = self._errors.read().splitlines()
        return self.said

    def _close(self) -> None:
        self._errors.close()
        if self._named:
            _ptracer.forbid_children()
            self._named = False
