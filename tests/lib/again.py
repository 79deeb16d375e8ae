# SPDX-License-Identifier: GPL-2.0-only
"""Runs tests that have failed once more, each alone: for a virtual machine whose CPUs are lent to others.

    again.py FILE            exit code 0: each of them passed every time

FILE has what the layers noted (tests/conftest.py). A test that passes each time is noted as unsteady:
tests/lib/skips.py names it, and it is not counted as failed. There is no other try where noise cannot be the
reason: a difference between the two walks of the sampler, a memory fault, or more than MOST tests.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

TIMES = 2
MOST = 8  # of some thousands; on a machine that is broken more of them fail
# Of what is never noise, a regular expression a line, which tests/unit.sh reads, too.
NEVER_NOISE = re.compile("|".join(
    (pathlib.Path(__file__).parent / "never-noise.txt").read_text().splitlines()))
# pytest prints a test from its beginning. What failed is the statement behind ">", up to an empty line.
FAILED = re.compile(r"^>.*?(?=^$|\Z)", re.MULTILINE | re.DOTALL)


def never_noise(said):
    return any(NEVER_NOISE.search(failed) for failed in FAILED.findall(said) or [said])


def passes(test):
    """Alone, and without notes, since the layers' books are closed."""
    surroundings = {name: value for name, value in os.environ.items() if name != "NOTES"}
    command = [sys.executable, "-m", "pytest", "-q", "--timeout", "1200", test]
    return all(subprocess.run(command, env=surroundings).returncode == 0 for _ in range(TIMES))


def main(path):
    notes = [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    failed = {note["failing"]: note for note in notes if "failing" in note}
    if len(failed) > MOST or any(never_noise(note["said"]) for note in failed.values()):
        return 1
    steady = 0
    for test, note in failed.items():
        print("again, alone: %s" % test, flush=True)
        # With xdist the name of its group stands behind the name of a test.
        if passes(re.sub(r"@\w+$", "", test)):
            with open(path, "a") as file:
                file.write(json.dumps({"layer": note["layer"], "unsteady": test}) + "\n")
        else:
            steady += 1
    return 1 if steady else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
