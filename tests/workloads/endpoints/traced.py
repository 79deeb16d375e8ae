# SPDX-License-Identifier: GPL-2.0-only
"""Work in the name of the current span: a function of its ids, so that a stack says which they were. With
$TRACED_LOG each span's ids and its request's route are lines of that file; $TRACED_MS says for how long a
handler works at a time."""
import os

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


MILLISECONDS = float(os.environ.get("TRACED_MS", 2))
log = os.environ.get("TRACED_LOG")
log = log and os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def work(route, milliseconds=MILLISECONDS):
    ids = trace.get_current_span().get_span_context()
    if log:
        os.write(log, b"%032x %016x %s\n" % (ids.trace_id, ids.span_id, route.encode()))
    functions[ids.trace_id % 16, ids.span_id % 16](milliseconds)
