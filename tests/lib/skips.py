# SPDX-License-Identifier: GPL-2.0-only
"""What a run of the tests left out, and whether it was allowed to.

    skips.py FILE [LAYER...]    the last lines of a suite, by what its layers noted in FILE; default: those of
                                `make check`

A skipped test says "SKIP NAME: reason". NAME is an interpreter (tests/lib/interpreters.py), a version such as
3.6, or one of FEATURES. $REQUIRE is a list of names with commas between: a skip for one of them is a failure,
and so is an interpreter or a version of them that is not here.

A line of FILE is a JSON object: {"layer": ..., "passed": n, "failed": n} or
{"layer": ..., "skip": "SKIP NAME: reason", "test": ...}. What a layer did not note did not run, so the file
must say that each layer ran.
"""
import collections
import json
import os
import pathlib
import re
import sys

import interpreters as known

# What a test may want besides interpreters: what it is, and on Debian the package that has it.
FEATURES = {
    "address": "an address of this machine besides those of localhost",
    "apt": "apt-get and its locks, for root",
    "arm64": "libraries of the cross-compiler for it (libc6-arm64-cross)",
    "bpf": "BPF programs, which may be refused: to a user without rights, in a container",
    "busy": "a machine that is not so busy that what a test waits for has passed before it looks",
    "c++": "a compiler of C++ with its library (g++)",
    "cgroup-memory": "the memory controller of cgroup version 1, which can be written to",
    "clang-format": "what make format writes the C files with (clang-format-19)",
    "collector": "a collector of OpenTelemetry, built from its Go modules (make check-otlp)",
    "cgroups": "a cgroup hierarchy that can be written to",
    "chromium": "a browser (chromium)",
    "curl": "a command that asks over HTTP (curl)",
    "debootstrap": "a bare Debian of that release, from the archive that this machine uses",
    "firefox": "another browser (firefox-esr), and the package websockets",
    "git": "git, and a checkout of it",
    "go": "go tool pprof (golang-go)",
    "go-columns": "a go tool pprof with -showcolumns, newer than Debian 12's",
    "helm": "built from its Go module",
    "doors": "the packages of tests/doors-requirements.txt",
    "headers": "Python.h of the interpreter's version (libpython3.11-dev)",
    "interpreters": "two interpreters that have their runtime in the program itself",
    "kubernetes": "a node of Kubernetes on this machine (tests/k8s/README.md)",
    "kustomize": "built from its Go module",
    "llvm": "llvm-dwarfdump of version 16 or newer (llvm-19)",
    "map_files": "/proc/PID/map_files, for root",
    "mcp": "the package of tests/mcp-requirements.txt",
    "mounts": "mount namespaces, and mounts in them",
    "namespaces": "user namespaces for root (in a chroot there are none)",
    "openssl": "certificates for servers of a test (openssl)",
    "overlay": "the overlay file system",
    "quiet": "a machine on which nothing else is busy",
    "receivers": "a real Pyroscope or Parca, which $PYROSCOPE and $PARCA name",
    "runc": "containers (runc)",
    "setcap": "a command that gives a file capabilities (libcap2-bin)",
    "setpriv": "a command that gives up rights (util-linux)",
    "sysctl": "kernel.perf_event_max_sample_rate, as the kernel sets it by itself",
    "strace": "strace, which makes system calls fail",
    "systemd-analyze": "a check of the unit file (systemd)",
    "timers": "BPF timers that stay on their CPU: Linux 6.7, not real-time",
    "unit": "whatever a unit test needs besides",
    "upgrade": "the commit of the version before in the history (no shallow clone)",
    "uwsgi": "uwsgi-plugin-python3",
    "viewers": "viewers of profiles, from npm (tests/fetch-viewers.sh)",
    "users": "another user, and setpriv to become that one",
    "venv": "the packages of tests/requirements.txt",
    "web": "the packages of tests/web-requirements.txt",
    "not-applicable": "what this interpreter, machine or kernel cannot have",
}
LAYERS = ("unit", "waits", "burns", "alone")
REASON = re.compile(r"SKIP ([\w.+-]+): (.+)", re.S)


def is_known(name):
    return name in FEATURES or name in known.pinned() or name in (known.TWO, *known.VERSIONS)


def name_of(reason):
    """The name in "SKIP NAME: reason", or None when it is not of that form."""
    found = REASON.fullmatch(reason.strip())
    return found[1] if found and (is_known(found[1]) or found[1].startswith("pyenv-")) else None


def required():
    return [name for name in os.environ.get("REQUIRE", "").replace(" ", ",").split(",") if name]


def not_here(name):
    """Why a required interpreter is missing, or None: tests for it may not even be written down as
    skipped."""
    here = known.everything()
    if name in known.names() and not known.find(name):
        return known.reason(name)
    if name in (known.TWO, *known.SUPPORTED) and name not in {i.minor for i in here}:
        return "no Python %s is here" % name
    return None


def complaints(skipped):
    """What $REQUIRE has against this run, a line each. skipped: {reason: number of tests}."""
    for name in required():
        if not is_known(name):
            yield "REQUIRE: nothing is called %s; there are %s" % (name,
                                                                   " ".join([*FEATURES, *known.names()]))
        elif not_here(name):
            yield "REQUIRE: %s is missing: %s" % (name, not_here(name))
    for reason in skipped:
        if name_of(reason) in required():
            yield "REQUIRE: a test was skipped: %s" % reason
        elif not name_of(reason):
            yield "a skip without a known name: %s" % reason


def main(path, *layers):
    notes = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    skipped = collections.Counter(note["skip"] for note in notes if "skip" in note)
    for reason, number in sorted(skipped.items()):
        print("%s (%d)" % (reason, number))
    wrong = list(complaints(skipped))
    ran = {note["layer"] for note in notes if "passed" in note}
    wrong += ["the layer %s did not run to its end" % layer for layer in layers or LAYERS if layer not in ran]
    for line in wrong:
        print("FAILED %s" % line)
    passed = sum(note.get("passed", 0) for note in notes)
    failed = sum(note.get("failed", 0) for note in notes) + len(wrong)
    print("%d passed, %d failed, %d skipped" % (passed, failed, sum(skipped.values())))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
