# SPDX-License-Identifier: GPL-2.0-only
"""A shop that answers itself all the time, in the version that is named: 1.5 rounds the price of each line of
an order apart, where 1.4 rounds their sum."""
import decimal
import json
import re
import sys

VERSION = sys.argv[1]
CENT = decimal.Decimal("0.01")
ORDER = json.dumps({"customer": "c-117", "lines": [{"item": "item-%d" % i, "count": i % 5 + 1,
                                                    "price": "%d.99" % i} for i in range(40)]})


def parse(text):
    order = json.loads(text)
    for line in order["lines"]:
        line["number"] = int(re.fullmatch(r"item-(\d+)", line["item"])[1])
    return order


def rounded(amount):
    return amount.quantize(CENT, decimal.ROUND_HALF_EVEN)


def total(order):
    prices = [decimal.Decimal(line["price"]) * line["count"] for line in order["lines"]]
    if VERSION >= "1.5":
        return sum(rounded(price * decimal.Decimal("1.19")) for price in prices)
    return rounded(sum(prices) * decimal.Decimal("1.19"))


def render(order, amount):
    lines = sorted(order["lines"], key=lambda line: (-line["count"], line["item"]))
    return json.dumps({"total": str(amount), "lines": lines}, indent=1)


def answer():
    order = parse(ORDER)
    return render(order, total(order))


while True:
    answer()
