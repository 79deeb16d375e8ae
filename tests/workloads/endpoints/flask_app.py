# SPDX-License-Identifier: GPL-2.0-only
"""Handlers: a function, a method of a class, one in a blueprint, and one behind a decorator."""
import functools

from burning import burn
from flask import Blueprint, Flask
from flask.views import MethodView

app = Flask(__name__)
shop = Blueprint("shop", __name__)


def leaf_items():
    burn()


def leaf_cart():
    burn()


def leaf_order():
    burn()


def leaf_admin():
    burn()


def guarded(handler):
    @functools.wraps(handler)
    def guard(*args, **kwargs):
        return handler(*args, **kwargs)
    return guard


@app.route("/items")
def items():
    leaf_items()
    return "items"


class Cart(MethodView):
    def get(self, number):
        leaf_cart()
        return "cart %d" % number


@shop.route("/order")
def order():
    leaf_order()
    return {"order": 1}


@app.route("/admin")
@guarded
def admin():
    leaf_admin()
    return "admin"


app.add_url_rule("/cart/<int:number>", view_func=Cart.as_view("cart"))
app.register_blueprint(shop, url_prefix="/shop")
