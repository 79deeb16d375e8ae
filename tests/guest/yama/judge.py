# SPDX-License-Identifier: GPL-2.0-only
"""Judges what a guest of yama.sh sent back: judge.py FOLDER"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import checks  # noqa: E402

out = pathlib.Path(sys.argv[1])


def said(scope):
    try:
        return json.loads((out / str(scope)).read_text().splitlines()[-1])
    except (OSError, ValueError, IndexError):
        return {"told": {"text": "nothing was said"}, "untold": {}}


def is_refused(one):
    return one.get("error") == "NoRights" and "ptrace_scope" in one["text"]


def main():
    print("Linux %s" % (out / "release").read_text().strip())
    for scope, told, untold in ((0, True, True), (1, True, False), (2, False, False)):
        found = said(scope)
        for name, may in ("told", told), ("untold", untold):
            one = found[name]
            checks.check("ptrace_scope %d, Yama was %s: %s" % (scope, name, "profiled" if may else "refused"),
                         "burn" in one.get("functions", ()) if may else is_refused(one), one)
    return checks.end()


sys.exit(main())
