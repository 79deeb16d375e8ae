# SPDX-License-Identifier: GPL-2.0-only
"""Runs `pyperf-bpf doctor`, and checks that its text and its JSON say the same."""
import json
import os
import re
import subprocess

import jsonschema

import profiler

LIST = (profiler.ROOT / "user" / "doctor" / "checks.def").read_text()
# {name: "MACHINE" or "ASKED"}, in the order of the lines
CHECKS = {name: whose for whose, name in re.findall(r'^CHECK\(\w+, \w+, (\w+), "([^"]+)"', LIST, re.M)}
SCHEMA = json.loads((profiler.ROOT / "docs" / "schemas" / "doctor.json").read_text())
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
if os.geteuid():
    NOBODY = ["env"]  # who is not root is such a user
NO_PROCESS = "--comm", "no-such-name"  # most tests are about the machine


def in_namespace(script):
    """The command after it runs in a mount namespace in which this has been done."""
    return ["unshare", "--mount", "sh", "-euc", script + '; exec "$@"', "sh"]


def plain(text):
    """Without the times, which go on between two runs."""
    return re.sub(r"\d\d:\d\d:\d\d UTC|after \d+ ms|at most \d+ ms", "", text)


def doctor(*arguments, prefix=(), binary=profiler.BINARY, code=None, **options):
    """What --json says, by the schema, after the text has been found to say the same."""
    def run(*more):
        return subprocess.run([*prefix, binary, "doctor", *map(str, arguments), *more], capture_output=True,
                              text=True, timeout=300, **options)
    done, text = run("--json"), run()
    assert not done.stderr and not text.stderr, done.stderr + text.stderr
    found = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    assert [check["check"] for check in found["checks"]] == list(CHECKS)
    lacking = {check["check"] for check in found["checks"] if check["result"] == "missing"}
    assert found["can_profile"] == all(CHECKS[name] != "MACHINE" for name in lacking)
    assert found["can_do_all"] == (not lacking)
    assert done.returncode == text.returncode == (1 if lacking else 0)
    assert ("can be profiled here." in text.stdout) == (not lacking)
    assert ("not as asked for" in text.stdout) == (bool(lacking) and found["can_profile"])
    shown = plain(text.stdout)
    for check in found["checks"]:
        line = "  %-8s %-17s %s\n" % (check["result"].replace("missing", "MISSING"), check["check"],
                                     plain(check["says"]))
        assert (line in shown) == (check["result"] != "unasked"), (line, text.stdout)
        assert all("-> %s\n" % way in text.stdout for way in check["mend"])
        assert check["mend"] or check["result"] != "missing", check
    assert code is None or done.returncode == code, text.stdout
    found["results"] = {check["check"]: check["result"] for check in found["checks"]}
    found["says"] = {check["check"]: check["says"] for check in found["checks"]}
    found["mends"] = {check["check"]: check["mend"] for check in found["checks"]}
    found["text"] = text.stdout
    return found


def missing(found):
    return {name for name, result in found["results"].items() if result == "missing"}
