# SPDX-License-Identifier: GPL-2.0-only
"""Applications for ddtrace-run: each handler works in a function that the ids of its current span choose, so
that a stack says which they were."""
import asyncio
import time

from burning import burn
from ddtrace import tracer

functions = {"burn": burn}
for high in range(16):
    for low in range(16):
        exec("def span_%x_%x():\n    burn(2)" % (high, low), functions)


def work():
    span = tracer.current_span()
    functions["span_%x_%x" % (span.trace_id % 16, span.span_id % 16)]()


def flask():
    from flask import Flask

    app = Flask(__name__)

    @app.route("/items")
    def items():
        work()
        return "items"

    @app.route("/order")
    def order():
        time.sleep(0.002)
        work()
        with tracer.trace("inner"):
            work()
        return "order"

    return app


def fastapi():
    from fastapi import FastAPI

    app = FastAPI()

    @app.get("/items")
    async def items():
        work()
        await asyncio.sleep(0)
        work()
        return {"items": 1}

    @app.get("/order")
    def order():
        work()
        return {"order": 1}

    async def third():
        with tracer.trace("third"):
            for _ in range(3):
                await asyncio.sleep(0)
                work()

    @app.get("/all")
    async def all_of_it():
        await asyncio.gather(third(), third(), third())
        work()
        return {"all": 3}

    return app


def django():
    import django as framework
    from django.conf import settings
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpResponse
    from django.urls import path

    def items(request):
        work()
        return HttpResponse("items")

    async def order(request):
        work()
        return HttpResponse("order")

    global urlpatterns
    urlpatterns = [path("items", items), path("order", order)]
    settings.configure(DEBUG=False, ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="x", MIDDLEWARE=[])
    framework.setup()
    return get_wsgi_application()
