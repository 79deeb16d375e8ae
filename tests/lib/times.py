# SPDX-License-Identifier: GPL-2.0-only
"""How long the tests of a run took, and what of it: at work, or waiting.

    times.py FILE            the sums of each layer and the slowest tests, by what the layers noted in FILE

A line of FILE about this is a JSON object: {"layer": ..., "test": ..., "wall": s, "own": s, "children": s}.
own is the CPU time of the test itself, children that of the programs that it started: the profiler and its
targets.
"""
import collections
import json
import pathlib
import sys

SLOWEST = 40
HEAD = "%8s %8s %8s %8s  " % ("wall", "own CPU", "programs", "waiting")

Took = collections.namedtuple("Took", "layer test wall own children")


def read(path):
    notes = map(json.loads, pathlib.Path(path).read_text().splitlines())
    return [Took(*(note[field] for field in Took._fields)) for note in notes if "wall" in note]


def row(wall, own, children, waiting, name):
    return "%8.1f %8.1f %8.1f %8.1f  %s" % (wall, own, children, waiting, name)


def waiting(took):
    """Seconds in which nothing of it ran; none, when its programs used several CPUs for as long."""
    return max(0, took.wall - took.own - took.children)


def sums(layer, tests):
    return row(*(sum(column) for column in zip(*((t.wall, t.own, t.children, waiting(t)) for t in tests))),
               "%s, %d tests" % (layer, len(tests)))


def lines(tests):
    layers = collections.defaultdict(list)
    for took in tests:
        layers[took.layer].append(took)
    yield "seconds of all tests of a layer, one added to the other:"
    yield HEAD + "layer"
    for layer, members in layers.items():
        yield sums(layer, members)
    yield "the slowest:"
    yield HEAD + "test"
    for took in sorted(tests, key=lambda took: -took.wall)[:SLOWEST]:
        name = took.test.rpartition("/")[2][:80]
        yield row(took.wall, took.own, took.children, waiting(took), "%s %s" % (took.layer, name))


if __name__ == "__main__":
    print("\n".join(lines(read(sys.argv[1]))))
