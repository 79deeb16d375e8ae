# SPDX-License-Identifier: GPL-2.0-only
"""Handlers under OpenTelemetry: a coroutine, a function that runs in a thread, children of gather(), a span
of the handler's own."""
import asyncio

import traced
from fastapi import FastAPI
from opentelemetry import trace
from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor

traced.set_up()
tracer = trace.get_tracer("traced")
app = FastAPI()


@app.get("/items/{number}")
async def items(number: int):
    traced.work("/items/{number}")
    await asyncio.sleep(0)
    traced.work("/items/{number}")
    return {"number": number}


@app.get("/order")
def order():
    traced.work("/order")
    with tracer.start_as_current_span("inner"):
        traced.work("/order")
    return {"order": 1}


async def third():
    with tracer.start_as_current_span("third"):
        for _ in range(3):
            await asyncio.sleep(0)
            traced.work("/all", traced.MILLISECONDS / 2)


@app.get("/all")
async def all_of_it():
    await asyncio.gather(third(), third(), third())
    traced.work("/all", traced.MILLISECONDS / 2)
    return {"all": 3}


FastAPIInstrumentor.instrument_app(app)
