# SPDX-License-Identifier: GPL-2.0-only
"""A stack of 22 frames that never rests, with a context of nine variables: within a span of OpenTelemetry's
SDK ("span"), outside of the only one that there was ("outside"), or without the SDK ("none")."""
import contextvars
import json
import sys

DEPTH = 20
variables = [contextvars.ContextVar("variable%d" % i) for i in range(8)]
tenant = contextvars.ContextVar("tenant")


def busy():
    while True:
        sum(range(100))


def deep(n):
    return deep(n - 1) if n else busy()


def begin():
    for variable in variables:
        variable.set("a value")
    tenant.set("somebody")
    print(json.dumps({}), flush=True)
    deep(DEPTH)


def main():
    if sys.argv[1] == "none":
        begin()
    from opentelemetry.sdk.trace import TracerProvider
    tracer = TracerProvider().get_tracer("bench")
    with tracer.start_as_current_span("work"):
        if sys.argv[1] == "span":
            begin()
    begin()


if __name__ == "__main__":
    main()
