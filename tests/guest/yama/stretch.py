# SPDX-License-Identifier: GPL-2.0-only
"""Profiles a stretch of itself, and prints what came of it: with what the package tells Yama, and without. An
emulated CPU of a busy machine may give the profiler no look that counts, so it is tried some times."""
import json
import sys
import time

sys.path.insert(0, "/package")
import pyperf_bpf  # noqa: E402
from pyperf_bpf import _ptracer  # noqa: E402


def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(500))


def profiled():
    try:
        with pyperf_bpf.profile() as profile:
            burn(3)
        return {"functions": [row["name"] for row in profile.report("--by=function")["tables"][0]["rows"]]}
    except pyperf_bpf.ProfilerError as error:
        return {"error": type(error).__name__, "text": str(error)}


def tried():
    for _ in range(8):
        found = profiled()
        if "burn" in found.get("functions", ()) or found.get("error") == "NoRights":
            break
    return found


told = tried()
_ptracer._set = lambda pid: None
print(json.dumps({"told": told, "untold": tried()}))
