# SPDX-License-Identifier: GPL-2.0-only
"""Handlers: a coroutine, a method of a class, and one whose work is done by children of asyncio.gather()."""
import asyncio

from burning import burn
from quart import Quart
from quart.views import MethodView

app = Quart(__name__)


def leaf_items():
    burn()


def leaf_cart():
    burn()


def leaf_both():
    burn()


@app.route("/items")
async def items():
    leaf_items()
    return "items"


class Cart(MethodView):
    async def get(self):
        leaf_cart()
        return "cart"


async def half():
    await asyncio.sleep(0)
    leaf_both()


@app.route("/both")
async def both():
    await asyncio.gather(half(), half())
    return "both"


app.add_url_rule("/cart", view_func=Cart.as_view("cart"))
