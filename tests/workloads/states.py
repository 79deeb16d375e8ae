# SPDX-License-Identifier: GPL-2.0-only
"""Burns CPU time in each state that a sample can tell of, some milliseconds at a time, until killed: one
function for each."""
import json
import os
import sys

try:
    from hashlib import blake2b as digest
except ImportError:  # 2.7
    from hashlib import sha256 as digest

DATA = b"x" * (8 << 20)


def burn():
    n = 0
    for i in range(100000):
        n += i
    return n


def runs_python():
    burn()


def runs_c():
    digest(DATA)  # lets go of the GIL


def imports():
    sys.modules.pop("states_imported", None)
    import states_imported
    return states_imported


def handles():
    try:
        raise ValueError
    except ValueError:
        burn()


def has_handled():
    try:
        raise ValueError
    except ValueError:
        pass
    burn()


def main():
    print(json.dumps({"pid": os.getpid()}))
    sys.stdout.flush()
    while True:
        for scene in (runs_python, runs_c, imports, handles, has_handled):
            scene()


if __name__ == "__main__":
    main()
