# SPDX-License-Identifier: GPL-2.0-only
"""Handlers: a coroutine, a function that runs in a thread, a method of a class, and one whose work is done by
children of asyncio.gather()."""
import asyncio

from burning import burn
from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.responses import PlainTextResponse
from starlette.routing import Route


def leaf_items():
    burn()


def leaf_order():
    burn()


def leaf_cart():
    burn()


def leaf_both():
    burn()


async def items(request):
    leaf_items()
    return PlainTextResponse("items")


def order(request):
    leaf_order()
    return PlainTextResponse("order")


class Cart(HTTPEndpoint):
    async def get(self, request):
        leaf_cart()
        return PlainTextResponse("cart")


async def half():
    await asyncio.sleep(0)
    leaf_both()


async def both(request):
    await asyncio.gather(half(), half())
    return PlainTextResponse("both")


app = Starlette(routes=[Route("/items", items), Route("/order", order), Route("/cart", Cart),
                        Route("/both", both)])
