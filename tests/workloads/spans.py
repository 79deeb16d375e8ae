# SPDX-License-Identifier: GPL-2.0-only
"""Functions that each run while a certain span of OpenTelemetry is the current one, or none. Prints as JSON
which: {function: [trace id, span id], or null}.

Spans are made anew each time, with the same ids: by tasks that take turns, children of gather, threads, pools
of threads, within other spans and behind them; some have ids that begin with zeros, some are of a trace that
is not recorded. With "fork" a child does the same. Requests have a route, which is made of their
trace's id."""
import asyncio
import concurrent.futures
import contextvars
import json
import os
import sys
import threading
import time

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider, id_generator

SECONDS = 0.0007
next_ids = threading.local()
truth = {}
works, rests = [], []


class Ids(id_generator.IdGenerator):
    def generate_trace_id(self):
        return next_ids.of[0]

    def generate_span_id(self):
        return next_ids.of[1]


trace.set_tracer_provider(TracerProvider(id_generator=Ids()))
tracer = trace.get_tracer("spans")


def spin():
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        pass


def make(ids, wait=0):
    """A function that is to run while the span with these ids is current."""
    name = "%s%d" % ("rest" if wait else "work", len(truth))
    scope = {"spin": spin, "sleep": time.sleep}
    exec("def %s():\n    for _ in range(3): spin()\n    if %r: sleep(%r)" % (name, wait, wait), scope)
    truth[name] = ["%032x" % ids[0], "%016x" % ids[1]] if ids else None
    return scope[name]


IDS = [(1, 1), (2 ** 30 - 1, 2 ** 30), (2 ** 30, 2 ** 60 - 1), (2 ** 60, 2 ** 60), (2 ** 60 - 1, 2 ** 64 - 1),
       (2 ** 64, 5), (2 ** 90, 2 ** 59), (2 ** 120 - 1, 77), (2 ** 120, 2 ** 63), (2 ** 128 - 1, 2 ** 64 - 2)]
IDS += [(0x1234567890abcdef1234567890abcde0 + i, 0x1122334455667700 + i) for i in range(20)]


def begin(ids):
    next_ids.of = ids
    return tracer.start_as_current_span("a span", context=trace.set_span_in_context(trace.INVALID_SPAN),
                                        attributes={"http.method": "GET", "http.route": "/%032x" % ids[0]})


def inner(ids):
    """A span of the same trace within the current one."""
    next_ids.of = ids
    return tracer.start_as_current_span("another")


def not_recorded(ids):
    span = trace.NonRecordingSpan(trace.SpanContext(*ids, is_remote=True))
    return trace.use_span(span)


async def child(work, times):
    for _ in range(times):
        work()
        await asyncio.sleep(0)


async def handler(ids, work, ids_within, within):
    with begin(ids):
        work()
        await asyncio.gather(child(work, 2), asyncio.ensure_future(child(work, 3)))
        with inner(ids_within):
            within()
            await asyncio.gather(child(within, 1), child(within, 2))
        work()
        if hasattr(asyncio, "to_thread"):
            await asyncio.to_thread(work)


async def serve(first):
    while os.getppid() == parent:
        for at in range(first, len(works), 5):
            await asyncio.ensure_future(handler(*works[at]))
            idle()
            await asyncio.sleep(0)


async def main():
    await asyncio.gather(*(serve(i) for i in range(5)))


def request(ids, work, ids_within, within, rest):
    with begin(ids):
        work()
        with inner(ids_within):
            within()
            rest()
        work()
    idle()
    with not_recorded(ids):
        work()


def thread_of_pool(i):
    while True:
        for at in range(i, len(works)):
            contextvars.Context().run(request, *works[at], rests[at])


def prepare():
    for ids in IDS:
        within = ids[0], ids[1] ^ 0x100
        works.append((ids, make(ids), within, make(within)))
        rests.append(make(within, 0.002))


if __name__ == "__main__":
    prepare()
    idle, parent = make(None), os.getppid()
    pool = concurrent.futures.ThreadPoolExecutor(2)
    for n in range(2):
        pool.submit(thread_of_pool, n)
    if "fork" in sys.argv:
        with begin(IDS[0]):  # it is current where the child begins, too
            mine = os.getpid()
            child_pid = os.fork()
        if not child_pid:
            parent = mine  # with it the child ends
            os.close(1)
            asyncio.run(main())
            os._exit(0)
    print(json.dumps(truth), flush=True)
    asyncio.run(main())
