#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A small busy program to profile when nothing else runs: an order book, text search, a Mandelbrot set,
compression.

Usage: demo.py [SECONDS]   (default 15; a wall-clock time, after which it ends by itself)

Standard library only, Python 3.8 or newer. The main thread does the accounts, two others search and draw, and
a fourth compresses in C with the GIL released, so that a profile shows threads, recursion, generators and C
calls.
"""
import hashlib
import json
import random
import re
import sys
import threading
import time
import zlib


def make_orders(count, draw):
    return [{"id": n, "city": draw.choice(CITIES), "cents": draw.randrange(100, 90000)} for n in range(count)]


CITIES = ("Athens", "Bogotá", "Kraków", "Lagos", "Osaka", "Reykjavík")


def parse_orders(text):
    return json.loads(text)


def turnover_by_city(orders):
    totals = {}
    for order in orders:
        city = order["city"]
        totals[city] = totals.get(city, 0) + order["cents"]
    return sorted(totals.items(), key=lambda item: -item[1])


def quick_sort(values):
    if len(values) < 2:
        return values
    pivot = values[len(values) // 2]
    smaller = [v for v in values if v < pivot]
    equal = [v for v in values if v == pivot]
    larger = [v for v in values if v > pivot]
    return quick_sort(smaller) + equal + quick_sort(larger)


def do_accounts(end):
    draw = random.Random(1)
    while time.monotonic() < end:
        text = json.dumps(make_orders(2000, draw))
        orders = parse_orders(text)
        turnover_by_city(orders)
        quick_sort([order["cents"] for order in orders])


def sentences(draw):
    words = "the a quick slow brown grey fox hare jumps over under lazy busy dog cat".split()
    while True:
        yield " ".join(draw.choice(words) for _ in range(60))


def count_words(text, counts):
    for word in re.findall(r"\w+", text):
        counts[word] = counts.get(word, 0) + 1


def search_text(end):
    counts = {}
    for text in sentences(random.Random(2)):
        count_words(text, counts)
        if time.monotonic() > end:
            return


def escape_time(c, limit=80):
    z = 0j
    for n in range(limit):
        if z.real * z.real + z.imag * z.imag > 4:
            return n
        z = z * z + c
    return limit


def draw_row(y, width):
    return [escape_time(complex(x * 3 / width - 2, y)) for x in range(width)]


def draw_fractal(end):
    while time.monotonic() < end:
        for step in range(40):
            draw_row(step / 20 - 1, 60)
            if time.monotonic() > end:
                return


def compress_and_hash(end):
    data = random.Random(3).getrandbits(8 << 19).to_bytes(1 << 19, "little") + bytes(1 << 19)
    while time.monotonic() < end:
        hashlib.sha256(zlib.compress(data, 9)).hexdigest()


def main():
    end = time.monotonic() + (float(sys.argv[1]) if len(sys.argv) > 1 else 15)
    threads = [threading.Thread(target=work, args=(end,), name=work.__name__)
               for work in (search_text, draw_fractal, compress_and_hash)]
    for thread in threads:
        thread.start()
    do_accounts(end)
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
