# SPDX-License-Identifier: GPL-2.0-only
"""Lets the children of this process read its memory, where Yama lets only parents read their children
(kernel.yama.ptrace_scope is 1). A user's other processes may not, as before."""
from __future__ import annotations

import os
import threading

SCOPE = "/proc/sys/kernel/yama/ptrace_scope"
PR_SET_PTRACER = 0x59616D61

_lock = threading.Lock()
_users = 0


def _is_wanted() -> bool:
    try:
        with open(SCOPE) as file:
            return int(file.read()) == 1
    except (OSError, ValueError):
        return False


def _set(pid: int) -> None:
    try:
        import ctypes  # a Python may be built without it
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(PR_SET_PTRACER, ctypes.c_ulong(pid), *[ctypes.c_ulong(0)] * 3)
    except (ImportError, OSError, AttributeError):
        pass  # the profiler says that it may not read us


def allow_children() -> bool:
    """Whoever is named may read this process, and so may its descendants: naming the process itself allows
    exactly its children, before there are any. Returns whether forbid_children() has something to undo."""
    global _users
    if not _is_wanted():
        return False
    with _lock:
        _users += 1
        _set(os.getpid())
    return True


def forbid_children() -> None:
    global _users
    with _lock:
        _users -= 1
        if not _users:
            _set(0)
