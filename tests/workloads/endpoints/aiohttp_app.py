# SPDX-License-Identifier: GPL-2.0-only
"""Handlers: a coroutine, and a method of a class."""
import sys

from aiohttp import web
from burning import burn


def leaf_items():
    burn()


def leaf_cart():
    burn()


async def items(request):
    leaf_items()
    return web.Response(text="items")


class Cart(web.View):
    async def get(self):
        leaf_cart()
        return web.Response(text="cart")


app = web.Application(middlewares=[web.normalize_path_middleware()])
app.router.add_get("/items", items)
app.router.add_view("/cart", Cart)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None, access_log=None)
