# SPDX-License-Identifier: GPL-2.0-only
"""A server whose tasks come and go all the time: thirty connections of a process of its own ask it for ever,
and each answer is work of four tasks. It runs on asyncio's loop, or with an argument on uvloop's."""
import asyncio
import json
import os
import subprocess
import sys

CONNECTIONS = 30


async def fetch(delay):
    await asyncio.sleep(delay)


async def gathered():
    await asyncio.gather(fetch(0), fetch(0.001), fetch(0))


async def answer():
    await asyncio.create_task(gathered())


async def serve(reader, writer):
    while await reader.readline():
        await answer()
        writer.write(b"answer\n")
        await writer.drain()


async def ask(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while True:
        writer.write(b"question\n")
        if not await reader.readline():
            sys.exit()


async def asks(port):
    await asyncio.gather(*[ask(port) for _ in range(CONNECTIONS)])


async def serves():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    subprocess.Popen([sys.executable, "-S", __file__, "ask", str(port)], stderr=subprocess.DEVNULL)
    print(json.dumps({"pid": os.getpid()}), flush=True)
    await server.serve_forever()


if sys.argv[1:2] == ["ask"]:
    asyncio.run(asks(int(sys.argv[2])))
elif sys.argv[1:] == ["uvloop"]:
    import uvloop
    uvloop.install()
    asyncio.run(serves())
else:
    asyncio.run(serves())
