# SPDX-License-Identifier: GPL-2.0-only
"""An event loop that is kept busy by calls of known lengths: blocked_loop.py [LOOP [never]]

LOOP is asyncio, uvloop, aiohttp: handlers of a server make the calls, or between: no loop most of the time.
never: the loop has something to do all the time, and never sleeps.
Prints a line of JSON when it is ready, with the line of each call by its name. For each line on its standard
input that names a scene it does that, and prints what it measured itself: {name: ns}.
"""
import asyncio
import json
import os
import resource
import select
import socket
import sys
import time

BEATS = 3  # other tasks, which want the loop all the time


def burn(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def waits_apart(seconds):
    """A client with a loop of its own, as some have that know nothing of asyncio."""
    own = select.epoll()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        own.poll(0.01)
    own.close()


def sleep_30():
    time.sleep(0.030)  # call: sleep_30


def sleep_50():
    time.sleep(0.050)  # call: sleep_50


def sleep_80():
    time.sleep(0.080)  # call: sleep_80


def sleep_120():
    time.sleep(0.120)  # call: sleep_120


def sleep_160():
    time.sleep(0.160)  # call: sleep_160


def sleep_210():
    time.sleep(0.210)  # call: sleep_210


def burn_30():
    burn(0.030)  # call: burn_30


def burn_50():
    burn(0.050)  # call: burn_50


def burn_80():
    burn(0.080)  # call: burn_80


def burn_120():
    burn(0.120)  # call: burn_120


def burn_160():
    burn(0.160)  # call: burn_160


def burn_210():
    burn(0.210)  # call: burn_210


def apart_120():
    waits_apart(0.120)  # call: apart_120


def endless_sleep():
    time.sleep(2.5)  # call: endless_sleep


def endless_burn():
    burn(2.5)  # call: endless_burn


VICTIMS = 5
pairs = [socket.socketpair() for _ in range(VICTIMS)]


def victims_80():
    """Others want something of the loop meanwhile."""
    for _, theirs in pairs:
        theirs.send(b"x")
    time.sleep(0.080)  # call: victims_80


SCENES = {
    "victims": [victims_80] * 3,
    "endless": [endless_sleep, endless_burn],
    "block": [sleep_30, sleep_50, sleep_80, sleep_120, sleep_160, sleep_210,
              burn_30, burn_50, burn_80, burn_120, burn_160, burn_210],
    "apart": [apart_120] * 5,
    "idle": [],
}


async def beat():
    while True:
        await asyncio.sleep(0.005)


async def spin():
    while True:
        await asyncio.sleep(0)


CLIENTS, REQUESTS = 8, 100


async def client():
    for _ in range(REQUESTS):
        burn(0.002)  # call: client
        await asyncio.sleep(0)


async def saturate():
    """Somebody always wants something of the loop, and nothing takes long."""
    begin = time.perf_counter_ns()
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return {"client": time.perf_counter_ns() - begin}


async def handle(call, measured):
    begin = time.perf_counter_ns()
    call()
    measured[call.__name__] = measured.get(call.__name__, 0) + time.perf_counter_ns() - begin


async def serve():
    """A server whose handlers make the calls, and the function that asks it."""
    from aiohttp import ClientSession, web
    asked = {}

    async def answer(request):
        call, measured = asked.pop(request.match_info["name"])
        await handle(call, measured)
        return web.Response()

    application = web.Application()
    application.add_routes([web.get("/{name}", answer)])
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url, session = "http://127.0.0.1:%d/" % runner.addresses[0][1], ClientSession()

    async def ask(call, measured):
        asked[call.__name__] = call, measured
        async with session.get(url + call.__name__) as response:
            assert response.status == 200

    return ask


def switches():
    """How often this thread gave its CPU away of its own will."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


async def pause():
    """At least until the loop has slept, so that what comes next is in another turn: on a busy machine a
    timer can have run out before the loop asks for events, and it goes on at once."""
    before = switches()
    await asyncio.sleep(0.03)
    while switches() == before and sys.argv[2:] != ["never"]:
        await asyncio.sleep(0.03)


async def play(scene, make):
    if scene == "saturate":
        return await saturate()
    measured = {}
    for call in SCENES[scene]:
        await make(call, measured)
        await pause()
    await asyncio.sleep(0.2)
    await pause()  # at least once, by which the loop is known
    return measured


def say(about):
    print(json.dumps(about), flush=True)


async def main():
    loop, told = asyncio.get_event_loop(), asyncio.Queue()
    os.set_blocking(0, False)
    make = await serve() if sys.argv[1:2] == ["aiohttp"] else handle

    def read():
        text = os.read(0, 4096).decode()
        if not text:
            loop.remove_reader(0)
        for line in text.split():
            told.put_nowait(line)

    loop.add_reader(0, read)
    for ours, _ in pairs:
        loop.add_reader(ours, ours.recv, 1)
    beats = [asyncio.ensure_future(beat()) for _ in range(BEATS)]
    if sys.argv[2:] == ["never"]:
        beats.append(asyncio.ensure_future(spin()))
    with open(__file__) as f:
        lines = {line.split("# call: ")[1].strip(): number for number, line in enumerate(f, 1)
                 if "# call: " in line and "split" not in line}
    say({"pid": os.getpid(), "lines": lines})
    while True:
        say(await play(await told.get(), make))
    return beats


async def short():
    for _ in range(20):
        await asyncio.sleep(0.002)


def between():
    """A program that is in a loop now and then: what it does in between keeps nobody from it."""
    say({"pid": os.getpid(), "lines": {}})
    for _ in sys.stdin:
        for _ in range(5):
            asyncio.run(short())
            burn(0.080)
        say({})


if sys.argv[1:] == ["between"]:
    between()
if sys.argv[1:2] == ["uvloop"]:
    import uvloop
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
if sys.argv[1:] != ["between"]:
    asyncio.run(main())
