# SPDX-License-Identifier: GPL-2.0-only
"""A web service (Flask) with the troubles that people ask a profiler about: an endpoint that is slow, one
that keeps the GIL, one that leaks, two that lock each other out, and a second release ($RELEASE) that is
slower than the first. docs/mcp.md looks for them.

    gunicorn -k gthread --threads 8 -w 1 troubled_app:app"""
import json
import os
import threading
import time
import unicodedata

from flask import Flask

RELEASE = os.environ.get("RELEASE", "1")
PRODUCTS = [{"number": i, "name": "Product No. %d" % i, "tags": ["tag %d" % (i % k) for k in (3, 5, 7)]}
            for i in range(1500)]
SEEN = []
stock, ledger = threading.Lock(), threading.Lock()
app = Flask(__name__)


def normal(name):
    if RELEASE == "1":
        return name.lower()
    return "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c)).lower()


def find(words):
    return [product for product in PRODUCTS if normal(words) in normal(product["name"])]


@app.route("/search/<words>")
def search(words):
    return "%d\n" % len(find(words))


@app.route("/price/<int:number>")
def price(number):
    return "%d\n" % (PRODUCTS[number]["number"] * 7 % 100)


@app.route("/export")
def export():
    return json.dumps(PRODUCTS * 20)


def remember(user):
    SEEN.append([{"user": user, "page": number} for number in range(300)])


@app.route("/visit/<user>")
def visit(user):
    remember(user)
    return "welcome\n"


@app.route("/order/<int:number>")
def order(number):
    with stock:
        time.sleep(0.2)
        with ledger:
            return "ordered %d\n" % number


@app.route("/refund/<int:number>")
def refund(number):
    with ledger:
        time.sleep(0.2)
        with stock:
            return "refunded %d\n" % number
