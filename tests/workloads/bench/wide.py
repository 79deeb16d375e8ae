# SPDX-License-Identifier: GPL-2.0-only
"""5,000 functions, each with a caller of its own kind: many code objects and many nodes, shallow stacks."""
from tick import rounds, tick

COUNT = 5000
SOURCE = """
def function_{0}():
    total = 0
    for i in range(20):
        total += i
    tick()
    return total
"""


def define():
    names = {"tick": tick}
    exec(compile("".join(SOURCE.format(i) for i in range(COUNT)), "wide_functions.py", "exec"), names)
    return [names["function_%d" % i] for i in range(COUNT)]


def even(function):
    return function()


def odd(function):
    return function()


def main():
    functions = define()
    for _ in rounds():
        for i, function in enumerate(functions):
            even(function) if i % 2 == 0 else odd(function)


if __name__ == "__main__":
    main()
