# SPDX-License-Identifier: GPL-2.0-only
"""Two and three callers with frames of equal size call the same function in a loop, one level and two levels
up: the frames of their callees stand at the same addresses, with the same code, link and often
instruction."""
import harness


def leaf(who):
    total = 0
    if who == 0:
        for i in range(50):
            total += i  # -> - | under one_a
    elif who == 1:
        for i in range(50):
            total += i  # -> - | under one_b
    else:
        for i in range(50):
            total += i  # -> - | under one_c
    return total


def one_a():
    return leaf(0)  # -> leaf


def one_b():
    return leaf(1)  # -> leaf


def one_c():
    return leaf(2)  # -> leaf


def low(who):
    total = 0
    if who == 0:
        for i in range(50):
            total += i  # -> - | under top_a
    elif who == 1:
        for i in range(50):
            total += i  # -> - | under top_b
    else:
        for i in range(50):
            total += i  # -> - | under top_c
    return total


def mid(who):
    return low(who)  # -> low


def top_a():
    return mid(0)  # -> mid


def top_b():
    return mid(1)  # -> mid


def top_c():
    return mid(2)  # -> mid


def same():
    """The same instruction of the same function, whoever calls: only the caller itself tells."""
    total = 0
    for i in range(30):
        total += i
    return total


def three_lines():
    same()  # -> same
    same()  # -> same
    return same()  # -> same


def leaf_a():
    total = 0
    for i in range(30):
        total += i  # -> - | under hot_a
    return total


def leaf_b():
    total = 0
    for i in range(30):
        total += i  # -> - | under hot_b
    return total


def hot_a():
    return leaf_a()  # -> leaf_a


def hot_b():
    return leaf_b()  # -> leaf_b


def two():
    one_a()  # -> one_a
    one_b()  # -> one_b
    top_a()  # -> top_a
    top_b()  # -> top_b
    hot_a()  # -> hot_a
    hot_b()  # -> hot_b


def three():
    one_a()  # -> one_a
    one_b()  # -> one_b
    one_c()  # -> one_c
    top_a()  # -> top_a
    top_b()  # -> top_b
    top_c()  # -> top_c
    three_lines()  # -> three_lines


def main():
    while True:
        for _ in range(20):
            two()  # -> two
        for _ in range(20):
            three()  # -> three


if __name__ == "__main__":
    harness.ready(__file__)
    main()  # -> main
