# SPDX-License-Identifier: GPL-2.0-only
"""Handlers: of text, and of a dictionary, which a plugin makes JSON of."""
import bottle
from burning import burn

app = bottle.Bottle()


def leaf_items():
    burn()


def leaf_order():
    burn()


@app.route("/items/<number:int>")
def items(number):
    leaf_items()
    return "items"


@app.route("/order")
def order():
    leaf_order()
    return {"order": 1}
