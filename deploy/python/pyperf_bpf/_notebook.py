# SPDX-License-Identifier: GPL-2.0-only
"""%load_ext pyperf_bpf: %%pyperf profiles a cell of a notebook, and shows its hottest functions and lines.

Kernels compile cells under names such as /tmp/ipykernel_4711/1787822093.py, a hash of the text. What is shown
and written here has the name that a person knows, In [7]. Lines count from the first one of the cell, that of
%%pyperf itself."""
from __future__ import annotations

import argparse
import ast
import contextlib
import linecache
import re
import shlex
import subprocess
import sys
import time
from typing import Any, Dict, List, Optional, Set, Tuple

from ._awaiting import AwaitingCells
from ._binary import BinaryMissing, find_binary
from ._pprof import rename
from ._profile import EMPTY, Profile
from ._running import ProfilerError, failure
from ._tables import ROWS, tables

FREQUENCY = "199"
WAITED = "It mostly waited: %%pyperf --event wall shows where, with root or its capabilities."


class Cells:
    """What the files of a profile are called to a person."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._files: Dict[str, Set[str]] = {}  # by label

    def label(self, file: str) -> Optional[str]:
        named: Optional[Tuple[str, str]] = self._shell.compile.format_code_name(file)
        if not named:
            return None
        label = named[1].replace("In[", "In [")
        self._files.setdefault(label, set()).add(file)
        return label

    def text(self, file: str, line: int) -> str:
        """As Python itself would show it in a traceback. What an editor has run under the number of a cell
        could be another text: of two none is shown."""
        texts = {linecache.getline(name, line).strip() for name in self._files.get(file, {file})} - {""}
        return texts.pop() if len(texts) == 1 else ""


class Names:
    """%pyperf_names: cells are compiled under the names that people know, so that every profiler shows them,
    also one that looks from outside. Only those with a number of their own: what an editor runs in between
    has none. Who looks for the other names, as the kernel's debugger, does not find these cells."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._original = shell.compile.get_code_name
        self._cell: Optional[str] = None

    def _begins(self, info: Any) -> None:
        self._cell = info.raw_cell if info.store_history else None

    def _name(self, raw_code: str, transformed_code: str, count: int) -> str:
        if raw_code == self._cell:
            return "In [%d]" % count
        return str(self._original(raw_code, transformed_code, count))

    def switch(self, on: bool) -> None:
        if on == (self._shell.compile.get_code_name == self._name):
            return
        self._shell.compile.get_code_name = self._name if on else self._original
        change = self._shell.events.register if on else self._shell.events.unregister
        change("pre_run_cell", self._begins)


def number(shell: Any) -> int:
    """Of the cell that runs. The counter is that of the next one while some versions run a cell; the frames
    of this one know."""
    frame = sys._getframe()
    while frame:
        named = shell.compile.format_code_name(frame.f_code.co_filename)
        if named:
            return int(re.sub(r"\D", "", named[1]) or 0)
        if not frame.f_back:
            break
        frame = frame.f_back
    return int(shell.execution_count)


def execute(shell: Any, cell: str) -> Any:
    """Runs it as the cell that it is, and returns the value of its last expression. A comment stands for the
    line with the magic, so that lines have their numbers."""
    __tracebackhide__ = True
    text = "# %%pyperf\n" + cell
    transformed = shell.transform_cell(text)
    name = shell.compile.cache(transformed, number(shell), raw_code=text)
    tree = shell.transform_ast(shell.compile.ast_parse(transformed, filename=name))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(shell.compile(tree, name, "exec"), shell.user_global_ns, shell.user_ns)
    if last is None:
        return None
    return eval(shell.compile(ast.Expression(last.value), name, "eval"), shell.user_global_ns, shell.user_ns)


class Shown:
    """The tables, for display()."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def write(profile: Profile, output: str) -> None:
    done = subprocess.run([find_binary(), "report", "-o", output, "--", str(profile.path)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode:
        raise failure(done.stderr.splitlines(), done.returncode)


def arguments(line: str) -> Tuple[argparse.Namespace, List[str]]:
    """Ours, and those of the profiler."""
    from IPython.core.error import UsageError
    parser = argparse.ArgumentParser(prog="%%pyperf", add_help=False, allow_abbrev=False)
    parser.add_argument("-o", "--output")
    parser.add_argument("-n", "--top", type=int, default=10)
    try:
        return parser.parse_known_args(shlex.split(line))
    except (SystemExit, ValueError):
        raise UsageError("%%pyperf takes -o FILE, -n N, and options of pyperf-bpf") from None


def begin(profile: Profile, stack: contextlib.ExitStack) -> None:
    from IPython.core.error import UsageError  # is shown as one line
    try:
        stack.enter_context(profile)
    except (ProfilerError, BinaryMissing) as error:
        raise UsageError(str(error)) from None


def show(shell: Any, profile: Profile, own: argparse.Namespace, seconds: float) -> None:
    from IPython.display import display
    cells = Cells(shell)
    rename(profile.path, cells.label)
    try:
        text = tables(profile.report("--top=%d" % ROWS), cells.text, own.top, seconds, WAITED)
        is_empty = False
    except ProfilerError as error:
        if error.code != EMPTY:
            raise
        text, is_empty = "no sample in %.2f s\n%s" % (seconds, WAITED), True
    display(Shown(text))  # type: ignore[no-untyped-call]
    if own.output and not is_empty:
        write(profile, own.output)


class Cell:
    """A cell that is profiled."""

    def __init__(self, shell: Any, line: str) -> None:
        """line: what stands behind %%pyperf. Raises UsageError where it cannot be profiled."""
        self._shell = shell
        self._own, options = arguments(line)
        self._profile = Profile(None, {}, ["--frequency", FREQUENCY, *options])
        self._open = contextlib.ExitStack()
        begin(self._profile, self._open)
        self._began = time.perf_counter()

    def end(self) -> None:
        """Shows what there is."""
        try:
            self._open.close()
        finally:
            if self._profile.path.exists():
                show(self._shell, self._profile, self._own, time.perf_counter() - self._began)


def profiled(shell: Any, line: str, cell: str) -> Any:
    __tracebackhide__ = True
    profile = Cell(shell, line)
    try:
        return execute(shell, cell)
    finally:
        profile.end()


def load(shell: Any) -> None:
    def pyperf(line: str, cell: str) -> Any:
        """%%pyperf [-n N] [-o FILE] [OPTION...]: profiles this cell, and shows its N hottest functions and
        lines.

        -o FILE writes the profile, too: .pb.gz, .html, .svg, .folded, .speedscope.json or .firefox.json.
        OPTION: any of `pyperf-bpf`, as --event wall, --native top, -F 999."""
        __tracebackhide__ = True
        return profiled(shell, line, cell)

    def pyperf_names(line: str) -> None:
        """%pyperf_names on|off: whether cells from now on are called In [7] in every profile, also in those
        of who looks from outside."""
        from IPython.core.error import UsageError
        if line.strip() not in ("on", "off"):
            raise UsageError("%pyperf_names wants on or off")
        names.switch(line.strip() == "on")

    names = Names(shell)
    AwaitingCells(shell, lambda line: Cell(shell, line).end)
    shell.register_magic_function(pyperf, "cell", "pyperf")
    shell.register_magic_function(pyperf_names, "line", "pyperf_names")
