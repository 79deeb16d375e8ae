# SPDX-License-Identifier: GPL-2.0-only
"""Handlers: a method, and one that is a coroutine; a program's own preparation is none."""
import asyncio
import sys

import tornado.web
from burning import burn


def leaf_items():
    burn()


def leaf_order():
    burn()


class Items(tornado.web.RequestHandler):
    def prepare(self):
        self.set_header("X-Prepared", "yes")

    def get(self):
        leaf_items()
        self.write("items")


class Order(tornado.web.RequestHandler):
    async def get(self):
        await asyncio.sleep(0)
        leaf_order()
        self.write("order")


async def serve():
    app = tornado.web.Application([("/items", Items), ("/order", Order)], log_function=lambda handler: None)
    app.listen(int(sys.argv[1]), "127.0.0.1")
    await asyncio.Event().wait()


asyncio.run(serve())
