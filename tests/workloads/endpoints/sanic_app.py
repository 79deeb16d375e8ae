# SPDX-License-Identifier: GPL-2.0-only
"""Handlers: a coroutine, a function, and a method of a class."""
import sys

from burning import burn
from sanic import Sanic, text
from sanic.views import HTTPMethodView

app = Sanic("shop")


def leaf_items():
    burn()


def leaf_order():
    burn()


def leaf_cart():
    burn()


@app.on_request
async def seen(request):
    request.ctx.seen = True


@app.get("/items")
async def items(request):
    leaf_items()
    return text("items")


@app.get("/order")
def order(request):
    leaf_order()
    return text("order")


class Cart(HTTPMethodView):
    async def get(self, request):
        leaf_cart()
        return text("cart")


app.add_route(Cart.as_view(), "/cart")
if __name__ == "__main__":
    app.run("127.0.0.1", int(sys.argv[1]), single_process=True, access_log=False, motd=False)
