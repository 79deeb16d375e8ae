# SPDX-License-Identifier: GPL-2.0-only
"""The pod's program: busy for ever, in functions whose names the profile must have."""


def inner():
    return sum(range(2000))


def middle():
    return [inner() for _ in range(50)]


def outer():
    while True:
        middle()


print("busy", flush=True)
outer()
