# SPDX-License-Identifier: GPL-2.0-only
"""Handlers: a coroutine, a function that runs in a thread, and one whose work is done by children of
asyncio.gather()."""
import asyncio

from burning import burn
from fastapi import FastAPI

app = FastAPI()


def leaf_items():
    burn(2)


def leaf_order():
    burn()


def leaf_all():
    burn()


@app.get("/items/{number}")
async def items(number: int):
    leaf_items()
    return {"number": number}


@app.get("/order")
def order():
    leaf_order()
    return {"order": 1}


async def third():
    await asyncio.sleep(0)
    leaf_all()


@app.get("/all")
async def all_of_it():
    await asyncio.gather(third(), third(), third())
    return {"all": 3}
