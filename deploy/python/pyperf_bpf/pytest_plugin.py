# SPDX-License-Identifier: GPL-2.0-only
"""pytest --pyperf: the hottest lines of each test that takes long, and of all tests beside those of before.

One profiler looks at the whole run, and is asked for the stretch of a test when it was a long one. With
pytest-xdist each worker has its own."""
from __future__ import annotations

import linecache
import pathlib
import shlex
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Any, Generator, List, Optional, Tuple

import pytest

if TYPE_CHECKING:
    from ._log import Log

PROPERTY = "pyperf"
FREQUENCY = "199"
LINES = 3


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("pyperf-bpf", "profiling by pyperf-bpf")
    group.addoption("--pyperf", action="store_true",
                    help="show the hottest lines of each test that takes longer than --pyperf-limit")
    group.addoption("--pyperf-limit", type=float, default=1.0, metavar="SECONDS",
                    help="tests that take longer are shown (default 1)")
    group.addoption("--pyperf-output", metavar="FILE", help="write the profile of all tests there: pprof")
    group.addoption("--pyperf-fail-over", nargs=2, metavar=("BASE", "PERCENT"),
                    help="fail if the CPU time of all tests, or of one function, grew by more than PERCENT "
                    "of all in the profile BASE, and by more than chance")
    group.addoption("--pyperf-options", type=shlex.split, default=[], metavar="OPTIONS",
                    help="more options for pyperf-bpf, as \"--event wall\" or --children")


def pytest_configure(config: pytest.Config) -> None:
    options = config.option
    if options.pyperf or options.pyperf_output or options.pyperf_fail_over:
        config.pluginmanager.register(Plugin(config), "pyperf-bpf")


def described(log: "Log", begin: float, end: float) -> str:
    """What a test did between these times."""
    from ._running import ProfilerError
    from ._tables import headline, lines, mostly_waited, rows_of
    try:
        report = log.report(begin, end, "--top=1000")
    except ProfilerError as error:
        return str(error)
    if not report:
        return "no sample in %.2f s: it waited" % (end - begin)
    said = headline(report, end - begin)
    if mostly_waited(report, end - begin):
        said += "; it mostly waited"
    if report["lost"]:
        said += "; samples were lost: %s" % report["lost"]
    text = lines(rows_of(report, "line"), lambda file, line: linecache.getline(file, line).strip(), LINES)
    return "\n".join([said, *text])


class Plugin:
    def __init__(self, config: pytest.Config) -> None:
        self._options = config.option
        self._worker = getattr(config, "workerinput", None)
        #: Where each process that runs tests leaves its profile.
        self._folder = None
        if self._worker:
            self._profiles = pathlib.Path(self._worker["pyperf_folder"])
        else:
            self._folder = tempfile.TemporaryDirectory(prefix="pyperf-")
            self._profiles = pathlib.Path(self._folder.name)
        self._log: Optional["Log"] = None
        self._long: List[Tuple[str, str]] = []
        self._said: List[str] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Of pytest-xdist: before a worker is started."""
        node.workerinput["pyperf_folder"] = str(self._profiles)

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        from ._binary import BinaryMissing
        from ._log import Log
        from ._running import ProfilerError
        if session.config.option.collectonly or session.config.pluginmanager.hasplugin("dsession"):
            return
        name = "%s.pb.gz" % (self._worker["workerid"] if self._worker else "main")
        try:
            self._log = Log(self._profiles / name, ["--frequency", FREQUENCY, *self._options.pyperf_options])
            self._log.start()
        except (ProfilerError, BinaryMissing) as error:
            self._log = None
            raise pytest.UsageError(str(error)) from None

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, None]:
        """The test itself, without its fixtures."""
        begin = time.time()
        yield
        end = time.time()
        if self._log and self._options.pyperf and end - begin > self._options.pyperf_limit:
            item.user_properties.append((PROPERTY, described(self._log, begin, end)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self._long += [(report.nodeid, str(text)) for name, text in report.user_properties
                           if name == PROPERTY]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._stop()
        if self._worker:
            return
        whole = self._options.pyperf_output or str(self._profiles / "whole.pb.gz")
        if self._options.pyperf_output or self._options.pyperf_fail_over:
            code = self._run("report", "-q", "-o", whole, "--", *map(str, self._profiles.glob("*.pb.gz")))
            if not code and self._options.pyperf_fail_over:
                base, percent = self._options.pyperf_fail_over
                code = self._run("diff", "--fail-over", percent.rstrip("% "), "--", base, whole)
            if code and not session.exitstatus:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _stop(self) -> None:
        from ._running import ProfilerError
        log, self._log = self._log, None
        try:
            if log:
                log.stop()
        except ProfilerError as error:
            self._said.append(str(error))

    def _run(self, *words: str) -> int:
        from ._binary import find_binary
        done = subprocess.run([find_binary(), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              universal_newlines=True)
        if done.stdout:
            self._said += [*done.stdout.rstrip().splitlines(), ""]
        return done.returncode

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self._options.pyperf and not self._worker:
            terminalreporter.section("pyperf: tests that took longer than %g s" % self._options.pyperf_limit)
            for name, text in self._long:
                terminalreporter.write_line(name)
                for line in text.splitlines():
                    terminalreporter.write_line("    " + line)
        if self._said:
            terminalreporter.section("pyperf: all tests")
            for line in self._said:
                terminalreporter.write_line(line)
