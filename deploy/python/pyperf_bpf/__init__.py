# SPDX-License-Identifier: GPL-2.0-only
"""pyperf-bpf from within a program: which of its lines burn the CPU, and where it waits.

    import pyperf_bpf

    with pyperf_bpf.profile("out.pb.gz") as profiled:
        work()
    print(profiled.summary)

    @pyperf_bpf.profile("handler.html", event="cpu,offcpu,gil")
    def handler(): ...

The program that samples is the binary of the same package, a process of its own: `python -m pyperf_bpf` is
the command line. Only the standard library is needed. docs/python.md has more.
"""
from typing import Any

from ._binary import BinaryMissing, find_binary
from ._profile import Profile, profile
from ._running import NoRights, ProfilerError

for _kind in (BinaryMissing, NoRights, ProfilerError):
    _kind.__module__ = __name__  # a traceback names what can be caught


def load_ipython_extension(shell: Any) -> None:
    """%load_ext pyperf_bpf"""
    from ._notebook import load
    load(shell)


__all__ = ["BinaryMissing", "NoRights", "Profile", "ProfilerError", "find_binary", "profile"]
