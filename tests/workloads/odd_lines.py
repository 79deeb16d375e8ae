# SPDX-License-Identifier: GPL-2.0-only
"""Functions on lines as macros and templates make them: millions, none, below none, and backwards.

Runs until it is killed; says of each function on which lines it may be seen, 0 = one that no file has. Where
a frame says None, some compilers have left the line out, so that the function's own stands there.
"""
import ast
import json
import sys
import time

CODE = """def %s(end, clock, tell):
    while clock() < end:
        tell(sum(range(3000)))
"""
# Where the function begins, and where the lines of its body do.
PLACES = {"small": (1, 2), "million": (10 ** 6, 10 ** 6 + 1), "largest": (2 ** 31 - 9, 2 ** 31 - 8),
          "none": (-2, -1), "below": (-99, -98), "across": (-1, 0), "backwards": (5, -20), "up": (-30, 7)}


def make(name, first, body):
    tree = ast.parse(CODE % name)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = first if node.lineno == 1 else body + node.lineno - 2
    names = {}
    exec(compile(tree, name + ".tmpl", "exec"), names)
    return names[name]


def tell(_):
    frame = sys._getframe(1)
    name = frame.f_code.co_name
    is_told = frame.f_lineno is not None
    lines[name] = [max(frame.f_lineno, 0)] if is_told else [0, max(PLACES[name][0], 0)]


lines = {}
functions = [make(name, *place) for name, place in PLACES.items()]
for function in functions:
    function(time.time() + 0.001, time.time, tell)
print(json.dumps(lines), flush=True)
while True:
    for function in functions:
        function(time.time() + 0.01, time.time, abs)
