# SPDX-License-Identifier: GPL-2.0-only
"""Handlers: a coroutine, a function on the loop, and a method of a controller."""
from burning import burn
from litestar import Controller, Litestar, get


def leaf_items():
    burn()


def leaf_order():
    burn()


def leaf_cart():
    burn()


@get("/items/{number:int}")
async def items(number: int) -> dict:
    leaf_items()
    return {"number": number}


@get("/order", sync_to_thread=False)
def order() -> str:
    leaf_order()
    return "order"


class Cart(Controller):
    path = "/cart"

    @get()
    async def show(self) -> str:
        leaf_cart()
        return "cart"


app = Litestar([items, order, Cart])
