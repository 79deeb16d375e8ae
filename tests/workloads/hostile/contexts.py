# SPDX-License-Identifier: GPL-2.0-only
"""Forges the tree in which its context keeps values: nodes in rings, deeper and wider than there can be,
values of all types with any size, and all of it changing."""
import contextvars
import json

import forge

tenants = [contextvars.ContextVar("tenant") for _ in range(8)]
others = [contextvars.ContextVar("other%d" % i) for i in range(300)]


class Text(str):
    pass


VALUES = ["hostile", Text("hostile derived"), 2 ** 59, 2 ** 62, -1, True, None, 2 ** 200, "hostile" * 1000,
          "h\u00f6stile", "\u2603" * 40, object(), [], b"hostile"]


def nodes(context):
    """Of its tree, and what it has as values."""
    return {"hamt", "hamt_bitmap_node", "hamt_array_node", "hamt_collision_node"} | {
        type(value).__name__ for value in VALUES}


def fold(variable):
    return (hash(variable) ^ hash(variable) >> 32) & 0xffffffff


def same_hash():
    """Two variables whose hashes lead to one place, so that there is a node for them."""
    mine = {fold(v): v for v in (contextvars.ContextVar("twin") for _ in range(100000))}
    kept = []
    while True:
        kept.append(contextvars.ContextVar("other%d" % len(kept)))
        if fold(kept[-1]) in mine:
            return [mine[fold(kept[-1])], kept[-1]]


def run(context):
    twins = same_hash()
    for i, variable in enumerate(tenants + others + twins):
        variable.set(VALUES[i % len(VALUES)])
    print(json.dumps({}), flush=True)
    forge.wait_to_begin()
    made = forge.Forge(16384)
    made.add_reachable([context], nodes(context), 12)
    made.copy()
    made.change()
    for at in range(0, 64, 8):  # where the context has its tree
        value = forge.word(id(context) + at)
        if value in made.of and value != id(context):
            forge.put(id(context) + at, made.one(value))
    print(json.dumps({"kinds": {kind: len(copies) for kind, copies in made.copies.items()}}), flush=True)
    forge.spin()


if __name__ == "__main__":
    first = contextvars.Context()
    first.run(run, first)
