# SPDX-License-Identifier: GPL-2.0-only
"""Mixed work on shallow stacks: recursion, closures three deep, strings, a small loop. At most 25 frames."""
import math

from tick import rounds, tick


def fibonacci(n):
    if n < 2:
        tick()
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def arithmetic():
    total = 0.0
    for i in range(300):
        total += math.sin(i) * math.sqrt(i)
    tick()
    return total


def nested():
    def first():
        def second():
            def third():
                return arithmetic()
            return third()
        return second()
    return first()


def strings():
    words = ("every word of this sentence " * 40).split()
    tick()
    return " ".join(sorted(words, key=len))


def small_loop():
    total = 0
    for i in range(100):
        total += i
    tick()
    return total


def work(step):
    if step == 0:
        return fibonacci(14)
    if step % 10 == 0:
        return nested()
    if step % 5 == 0:
        return strings()
    return small_loop()


def main():
    for _ in rounds():
        for step in range(50):
            work(step)


if __name__ == "__main__":
    main()
