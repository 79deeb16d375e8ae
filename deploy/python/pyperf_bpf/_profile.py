# SPDX-License-Identifier: GPL-2.0-only
"""profile(): a stretch of one's own program, as a context manager and as a decorator."""
from __future__ import annotations

import contextlib
import functools
import inspect
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import warnings
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Type, TypeVar, Union

from ._binary import find_binary
from ._running import ProfilerError, Running, failure

Option = Union[str, int, float, bool, None]
Function = TypeVar("Function", bound=Callable[..., Any])
EMPTY = 3  # exit code of `report`
ITS_OWN = {"pid", "all", "all_python", "quiet", "output_dir", "interval", "config"}


def command_line(options: Dict[str, Option]) -> List[str]:
    """event="cpu,gil" is --event cpu,gil, children=True is --children; None and False are nothing."""
    words: List[str] = []
    for name, value in options.items():
        if name in ITS_OWN:
            raise TypeError("profile() is of this process and one file: it takes no %s=" % name)
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-") + ("" if value is True else "=%s" % value))
    return words


def report_of(path: pathlib.Path, *options: str) -> Dict[str, Any]:
    """`pyperf-bpf report --json` of a file."""
    done = subprocess.run([find_binary(), "report", "--json", *options, "--", str(path)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          encoding="utf-8", errors="replace")
    if done.returncode == EMPTY:
        raise ProfilerError("nothing was sampled", done.stderr.splitlines(), EMPTY)
    if done.returncode:
        raise failure(done.stderr.splitlines(), done.returncode)
    answer: Dict[str, Any] = json.loads(done.stdout)
    return answer


class Profile:
    """Made by profile(). One stretch at a time; the same one may be entered again, and then writes its file
    anew."""

    def __init__(self, output: Union[str, "os.PathLike[str]", None], options: Dict[str, Option],
                 words: Sequence[str] = ()) -> None:
        """words: more of the command line."""
        self._folder = tempfile.TemporaryDirectory(prefix="pyperf-") if output is None else None
        self._options = [*command_line(options), *words]
        self._output = output
        self._running: Optional[Running] = None
        self._calls = threading.Lock()
        #: The file: pprof, or what the end of its name says (docs/formats.md).
        self.path = pathlib.Path(self._folder.name, "profile.pb.gz") if self._folder else \
            pathlib.Path(os.fspath(output or ""))
        #: The tables that the command line prints at the end of a run.
        self.summary = ""
        #: What the profiler said on standard error.
        self.said: List[str] = []

    def __enter__(self) -> "Profile":
        if self._running:
            raise RuntimeError("this profile is under way: profile() makes another one")
        self.summary, self.said = "", []
        self._running = Running([find_binary(), "--pid", str(os.getpid()), "-o", str(self.path),
                                 *self._options])
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 traceback: Optional[TracebackType]) -> None:
        running, self._running = self._running, None
        assert running
        try:
            running.stop()
        except ProfilerError as error:
            if kind is None:
                raise
            warnings.warn(str(error), RuntimeWarning, stacklevel=2)  # what the program raised matters more
        finally:
            self.summary, self.said = running.summary, running.said

    def report(self, *options: str) -> Dict[str, Any]:
        """`pyperf-bpf report --json` of the file, with these options: --by=line, --top=3 ..."""
        return report_of(self.path, *options)

    def __call__(self, function: Function) -> Function:
        """As a decorator: each call is a run of its own, and the file is that of the last one."""
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError("%s is a generator, which runs when it is asked: profile who asks it"
                            % function.__name__)
        if inspect.iscoroutinefunction(function):
            @functools.wraps(function)
            async def wrapper(*args: Any, **named: Any) -> Any:
                with self._call():
                    return await function(*args, **named)
        else:
            @functools.wraps(function)
            def wrapper(*args: Any, **named: Any) -> Any:
                with self._call():
                    return function(*args, **named)
        setattr(wrapper, "profile", self)
        return wrapper  # type: ignore[return-value]

    @contextlib.contextmanager
    def _call(self) -> Iterator[None]:
        """A call that comes while another one is under way, as of itself or of a second thread, is in the
        profile of that one."""
        if not self._calls.acquire(blocking=False):
            yield
            return
        try:
            with self:
                yield
        finally:
            self._calls.release()


def profile(output: Union[str, "os.PathLike[str]", None] = None, **options: Option) -> Profile:
    """What this process does between `with` and the end of its block, or in each call of a function:

        with pyperf_bpf.profile("out.pb.gz", frequency=199): ...

        @pyperf_bpf.profile("out.html")
        def function(): ...

    Without output the file is gone with the Profile, whose `summary` and `report()` stay to be asked. Options
    are those of the command line: event="cpu,gil", native="top", children=True. `with` returns when samples
    are taken, which takes the profiler a second or more, and its end waits for the file. Raises NoRights,
    or ProfilerError."""
    return Profile(output, options)
