# SPDX-License-Identifier: GPL-2.0-only
"""What the workloads for the prefix cache have in common. They carry their legal call edges as notes, as edges.py
does; a note with the callee "-" stands on a line that calls nothing, to say under whom alone it runs."""
import dis
import functools
import json
import os
import sys
import time

if not hasattr(time, "thread_time"):  # 3.6
    time.thread_time = functools.partial(time.clock_gettime, time.CLOCK_THREAD_CPUTIME_ID)


def code_name(code):
    return getattr(code, "co_qualname", code.co_name)  # 3.11+


def code_lines(code):
    if hasattr(code, "co_lines"):  # 3.10+
        return {line for _, _, line in code.co_lines()} - {None}
    return {line for _, line in dis.findlinestarts(code)}


def code_table(code, table):
    """Every (name, first line, lines) in a code object and those nested in it."""
    table.append([code_name(code), code.co_firstlineno, sorted(code_lines(code))])
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            code_table(constant, table)
    return table


def ready(path, roots=(), **more):
    """Says that the program is warm, and what it is. roots: functions that can be the first of a stack."""
    with open(path, encoding="utf-8") as source:
        text = source.read()
    print(json.dumps({"pid": os.getpid(), "version": sys.version_info[:3],
                      "qualified": hasattr(ready.__code__, "co_qualname"), "patterns": [], "entries": {},
                      "roots": list(roots), **more,
                      "files": {path: {"source": text, "codes": code_table(compile(text, path, "exec"), [])}}}),
          flush=True)


def skip(reason):
    print(json.dumps({"skip": reason}), flush=True)
    sys.exit(0)
