# SPDX-License-Identifier: GPL-2.0-only
"""Recursion whose frames are equal but for their address, from two roots, to depths that change; exceptions
that unwind many of them at once; C code in between."""
import harness


def burn_a():
    total = 0
    for i in range(60):
        total += i  # -> - | under root_a
    return total


def burn_b():
    total = 0
    for i in range(60):
        total += i  # -> - | under root_b
    return total


def down(n, burn):
    if n:
        return down(n - 1, burn)  # -> down
    return burn()  # -> burn_a, burn_b


def down_through_c(n, burn):
    if n:
        return max(map(down_through_c, (n - 1,), (burn,)))  # -> down_through_c
    return burn()  # -> burn_a, burn_b


def raising(n, burn):
    if not n:
        burn()  # -> burn_a, burn_b
        raise ValueError
    if n % 10:
        raising(n - 1, burn)  # -> raising
    else:
        try:
            raising(n - 1, burn)  # -> raising
        finally:
            burn()  # -> burn_a, burn_b


def root_a(n):
    down(n, burn_a)  # -> down
    down_through_c(n % 20, burn_a)  # -> down_through_c
    try:
        raising(n, burn_a)  # -> raising
    except ValueError:
        pass


def root_b(n):
    down(n, burn_b)  # -> down
    down_through_c(n % 20, burn_b)  # -> down_through_c
    try:
        raising(n, burn_b)  # -> raising
    except ValueError:
        pass


def main():
    while True:
        for n in 1, 7, 40, 41, 120, 7:
            root_a(n)  # -> root_a
            root_b(n)  # -> root_b


if __name__ == "__main__":
    harness.ready(__file__)
    main()  # -> main
