# SPDX-License-Identifier: GPL-2.0-only
"""What the commands of the pages ask about, in one program: functions of the names that they have (`search`,
`deep`, `remember`, `json.dumps`, ...), threads that wait for each other's GIL, asyncio tasks, a loop that is
blocked, memory that grows, the context variable `tenant`, and spans of OpenTelemetry with given ids.

Usage: documented.py [TRACE_ID...]

It is busy for a fifth of the time only: many commands look at it at once. Prints {} when all of it runs."""
import asyncio
import contextvars
import json
import re
import sys
import threading
import time

tenant = contextvars.ContextVar("tenant")
ready = threading.Barrier(4)


def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def search():
    spin(0.002)


def deep():
    json.dumps([{"n": n} for n in range(500)])
    "".join(json.JSONEncoder().iterencode(list(range(2000))))


def total():
    spin(0.0003)


def set_password():
    total()


def serve(asked):
    search()
    set_password()
    deep()
    re.purge()
    re.compile("(a|b)*c{2,5}" * 5)


def remember(kept):
    kept.append(bytearray(1 << 18))
    kept[-1][::4096] = b"x" * len(kept[-1][::4096])
    if len(kept) > 300:
        kept.clear()


def requests():
    tenant.set("red")
    ready.wait()
    while True:
        serve(None)
        time.sleep(0.02)


def leak():
    kept = []
    ready.wait()
    while True:
        remember(kept)
        time.sleep(0.02)


async def sleep_on():
    while True:
        await asyncio.sleep(0.01)


async def block():
    while True:
        spin(0.03)
        await asyncio.sleep(0.3)


async def loop():
    ready.wait()
    await asyncio.gather(sleep_on(), block())


def spans(ids):
    """One span after the other, of these traces in turn."""
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider, id_generator

    class Given(id_generator.RandomIdGenerator):
        def generate_trace_id(self):
            ids.append(ids.pop(0))
            return ids[-1]
    tracer = TracerProvider(id_generator=Given()).get_tracer("documented")
    while True:
        with tracer.start_as_current_span("request", attributes={"http.route": "/items/{number}"}):
            for _ in range(20):
                search()
                time.sleep(0.02)


def main():
    for run in requests, leak, lambda: asyncio.run(loop()):
        threading.Thread(target=run, daemon=True).start()
    ready.wait()
    print("{}", flush=True)
    ids = [int(text, 16) for text in sys.argv[1:]]
    if ids:
        spans(ids)
    time.sleep(10000)


if __name__ == "__main__":
    main()
