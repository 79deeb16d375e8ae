# SPDX-License-Identifier: GPL-2.0-only
"""Responders, one of them behind a hook; middleware is none."""
import falcon
from burning import burn


def leaf_items():
    burn()


def leaf_cart():
    burn()


class Middleware:
    def process_request(self, request, response):
        request.context.seen = True


def check(request, response, resource, params):
    request.context.checked = True


class Items:
    def on_get(self, request, response):
        leaf_items()
        response.text = "items"


class Cart:
    @falcon.before(check)
    def on_get_number(self, request, response, number):
        leaf_cart()
        response.text = "cart"


app = falcon.App(middleware=[Middleware()])
app.add_route("/items", Items())
app.add_route("/cart/{number}", Cart(), suffix="number")
