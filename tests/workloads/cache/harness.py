# SPDX-License-Identifier: GPL-2.0-only
"""What the workloads for the prefix cache have in common. They carry their legal call edges as notes, as
edges.py does; a note with the callee "-" stands on a line that calls nothing, to say under whom alone it
runs."""
import functools
import json
import os
import sys
import time

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from code_table import code_table  # noqa: E402

if not hasattr(time, "thread_time"):  # 3.6
    time.thread_time = functools.partial(time.clock_gettime, time.CLOCK_THREAD_CPUTIME_ID)


def ready(path, roots=(), **more):
    """Says that the program is warm, and what it is. roots: functions that can be the first of a stack."""
    with open(path, encoding="utf-8") as source:
        text = source.read()
    print(json.dumps({"pid": os.getpid(), "version": sys.version_info[:3],
                      "qualified": hasattr(ready.__code__, "co_qualname"), "patterns": [], "entries": {},
                      "roots": list(roots), **more,
                      "files": {path: {"source": text,
                                       "codes": code_table(compile(text, path, "exec"), [])}}}),
          flush=True)


def skip(reason):
    print(json.dumps({"skip": reason}), flush=True)
    sys.exit(0)
