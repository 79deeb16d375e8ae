# SPDX-License-Identifier: GPL-2.0-only
"""Handlers under OpenTelemetry: one that is at work at once, one that waits first, one with a span of its
own."""
import time

import traced
from flask import Flask
from opentelemetry import trace
from opentelemetry.instrumentation.flask import FlaskInstrumentor

traced.set_up()
tracer = trace.get_tracer("traced")
app = Flask(__name__)


@app.route("/items")
def items():
    traced.work("/items")
    return "items"


@app.route("/order")
def order():
    time.sleep(0.002)
    traced.work("/order")
    return "order"


@app.route("/cart")
def cart():
    traced.work("/cart")
    with tracer.start_as_current_span("inner"):
        traced.work("/cart")
    return "cart"


FlaskInstrumentor().instrument_app(app)
