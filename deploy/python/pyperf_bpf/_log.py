# SPDX-License-Identifier: GPL-2.0-only
"""A profiler that runs beside this process all the time, with a log of when each sample was taken, so that a
stretch that has passed can be asked for. To ask takes milliseconds, to start a profiler up to a second."""
from __future__ import annotations

import http.client
import os
import pathlib
import socket
import tempfile
from types import TracebackType
from typing import Any, Dict, Optional, Sequence, Type

from ._profile import EMPTY, Profile, report_of
from ._running import ProfilerError

LOG_MINUTES = 60  # of one stretch, at most
SECONDS = 60  # for an answer
NOT_FOUND = 404


class _Connection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(SECONDS)
        self.sock.connect(self._path)


class Log:
    """Sampling from start() to stop(). All of it is in `path` then."""

    def __init__(self, path: "os.PathLike[str]", options: Sequence[str] = ()) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="pyperf-", dir="/tmp")  # short enough for a socket
        self._socket = os.path.join(self._folder.name, "socket")
        self._stretch = pathlib.Path(self._folder.name, "stretch.pb.gz")
        self._profile = Profile(path, {}, ["--log=%d" % LOG_MINUTES, "--listen=unix:" + self._socket,
                                           *options])

    def start(self) -> None:
        self._profile.__enter__()

    def stop(self) -> None:
        self._profile.__exit__(None, None, None)
        self._folder.cleanup()

    def __enter__(self) -> "Log":
        self.start()
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        self.stop()

    def report(self, begin: float, end: float, *options: str) -> Optional[Dict[str, Any]]:
        """`report --json` of what was done from then until then (time.time()); None of nothing. "lost" has
        what the profiler says is missing, if anything is."""
        connection = _Connection(self._socket)
        try:
            connection.request("GET", "/debug/pyperf/log?from=%.6f&to=%.6f" % (begin, end))
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise ProfilerError("the profiler does not answer: %s" % error) from None
        finally:
            connection.close()
        if answer.status == NOT_FOUND:
            return None
        if answer.status != http.client.OK:
            raise ProfilerError("the profiler answers %d: %s" % (answer.status,
                                                                 body.decode(errors="replace")))
        self._stretch.write_bytes(body)
        try:
            return {**report_of(self._stretch, *options), "lost": answer.getheader("Pyperf-Log-Lost")}
        except ProfilerError as error:
            if error.code == EMPTY:
                return None
            raise
