# SPDX-License-Identifier: GPL-2.0-only
"""A line a minute about what a run of the tests does, what is left of it, and how long that may take.

    progress.py NOTES        until it is ended; by what the layers note in NOTES

A layer notes when it begins ({"layer": ..., "began": seconds}), how many tests it has ({"layer": ...,
"tests": n}), and each of them when it has run (tests/lib/times.py). The estimate supposes that each layer
takes that part of the whole which SHARES says."""
import json
import pathlib
import signal
import sys
import time

EACH = 60
SHARES = {"unit": 0.19, "waits": 0.37, "burns": 0.33, "alone": 0.11}  # by the table of docs/testing.md


def read(path):
    try:
        return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
    except (OSError, ValueError):  # nobody has noted anything, or is about to
        return []


def part_of(layer, notes):
    """(tests that have run, all tests) of a layer; (0, 0) before it has begun."""
    own = [note for note in notes if note.get("layer") == layer]
    return sum("wall" in note for note in own), sum(note.get("tests", 0) for note in own)


def done(notes):
    """The part of the whole that is done."""
    begun = list(dict.fromkeys(note["layer"] for note in notes if "began" in note))
    whole = 0.0
    for layer in begun:
        ran, tests = part_of(layer, notes)
        is_over = layer != begun[-1]
        whole += SHARES[layer] * (1 if is_over else min(1, ran / tests) if tests else 0)
    return whole


def line(notes, now):
    """None before the first layer has begun."""
    begun = [note for note in notes if "began" in note]
    if not begun:
        return None
    layer, passed = begun[-1]["layer"], now - begun[0]["began"]
    ran, tests = part_of(layer, notes)
    left = [name for name in SHARES if name not in {note["layer"] for note in begun}]
    text = "%d min: %s, %s tests" % (passed / 60, layer, "%d of %d" % (ran, tests) if tests else ran)
    if left:
        text += "; then %s" % ", ".join(left)
    part = done(notes)
    if part > 0.05:
        text += "; about %d min to go" % max(1, round(passed * (1 - part) / part / 60))
    return text


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    while True:
        time.sleep(EACH)
        said = line(read(sys.argv[1]), time.time())
        if said:
            print("\n--- %s" % said, flush=True)
