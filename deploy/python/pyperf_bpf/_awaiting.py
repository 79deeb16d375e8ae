# SPDX-License-Identifier: GPL-2.0-only
"""%%pyperf of a cell that awaits something outside of a function.

A magic cannot run such a cell: it is called by the loop in which the cell has to wait. So the cell stays one
of the kernel's own, whose first line begins the profile; the kernel says when the cell has ended."""
from __future__ import annotations

import ast
import inspect
import re
from typing import Any, Callable, List, Optional

FIRST_LINE = re.compile(r"%%pyperf(?:[ \t]+(.*))?$")
MAGIC = "_pyperf_begin"  # of a line


def awaits(shell: Any, text: str) -> bool:
    """Whether a cell's text is Python that awaits something by itself."""
    try:
        code = compile(shell.transform_cell(text), "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
    except (SyntaxError, ValueError):
        return False  # the magic says what is wrong with it
    return bool(code.co_flags & inspect.CO_COROUTINE)


class AwaitingCells:
    """begin(line): begins to profile, and returns what is to be done when the cell has ended. Raises what the
    person is to see instead of the cell."""

    def __init__(self, shell: Any, begin: Callable[[str], Callable[[], None]]) -> None:
        self._shell, self._begin = shell, begin
        self._end: Optional[Callable[[], None]] = None
        shell.input_transformers_cleanup.append(self._transform)
        shell.register_magic_function(self._magic, "line", MAGIC)

    def _transform(self, lines: List[str]) -> List[str]:
        """The first line stays one line, so that the others have their numbers."""
        first = FIRST_LINE.match(lines[0].rstrip()) if lines else None
        if not first or not awaits(self._shell, "".join(lines[1:])):
            return lines
        return ["get_ipython().run_line_magic(%r, %r)\n" % (MAGIC, first[1] or ""), *lines[1:]]

    def _magic(self, line: str) -> None:
        __tracebackhide__ = True
        self._end = self._begin(line)
        self._shell.events.register("post_run_cell", self._ended)

    def _ended(self, *_: Any) -> None:
        self._shell.events.unregister("post_run_cell", self._ended)
        end, self._end = self._end, None
        if end:
            end()
