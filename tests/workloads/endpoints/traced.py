# SPDX-License-Identifier: GPL-2.0-only
"""Work in the name of the current span: a function of its ids, so that a stack says which they were."""
from burning import burn
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

functions = {}
for high in range(16):
    for low in range(16):
        scope = {"burn": burn}
        exec("def span_%x_%x(milliseconds):\n    burn(milliseconds)" % (high, low), scope)
        functions[high, low] = scope["span_%x_%x" % (high, low)]


def set_up():
    provider = TracerProvider()
    trace.set_tracer_provider(provider)
    return provider


def work(milliseconds=2):
    ids = trace.get_current_span().get_span_context()
    functions[ids.trace_id % 16, ids.span_id % 16](milliseconds)
