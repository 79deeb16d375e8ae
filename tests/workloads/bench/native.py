# SPDX-License-Identifier: GPL-2.0-only
"""What a service does in C: JSON with a callback into Python, compression, regular expressions, sorting;
all of it twenty Python calls deep."""
import json
import re
import zlib

DEPTH = 20


class Item:
    def __init__(self, number):
        self.number = number


ITEMS = [Item(i) for i in range(200)]


def plain(item):
    return {"number": item.number, "text": str(item.number) * 3}


def encode():
    return json.dumps(ITEMS, default=plain)


def work():
    text = encode()
    zlib.compress(text.encode(), 6)
    re.sub("[0-9]+", lambda match: match.group(0)[::-1], text)
    return sorted(ITEMS, key=lambda item: -item.number)


def deeper(n):
    return deeper(n - 1) if n else work()


print("{}", flush=True)
while True:
    deeper(DEPTH)
