# SPDX-License-Identifier: GPL-2.0-only
"""Programs in which nothing is wrong: sound.py NAME [SECONDS]. Each uses so many seconds of CPU time, or does
as many turns as takes some tenths of a second, and ends. Each imports only what it needs."""
import sys
import time

SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 0.5


def lasts(seconds=None):
    end = time.process_time() + (seconds or SECONDS)
    while time.process_time() < end:
        yield


def numbers():
    for _ in lasts():
        x = 0
        for i in range(2000):
            x += i * i % 7
        x = [i / 3 for i in range(2000)]
        x = sum(i ^ 5 for i in range(2000))
    return x


def strings():
    for _ in lasts():
        words = ["%d-%s" % (i, "x" * (i % 9)) for i in range(1000)]
        " ".join(word.upper().strip("-") for word in words).split()


def sorting():
    import heapq
    import random
    for _ in lasts():
        values = [random.random() for _ in range(1000)]
        values.sort()
        sorted(values, key=lambda v: -v)
        heapq.nlargest(10, values)


def dictionaries():
    import collections
    for _ in lasts():
        counts = collections.Counter(i % 97 for i in range(2000))
        merged = {**counts, "x": 1}
        {key: value for key, value in merged.items() if value}


def generators():
    def evens(numbers):
        for n in numbers:
            if n % 2 == 0:
                yield n
    for _ in lasts():
        sum(n * 2 for n in evens(evens(iter(range(3000)))))


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    @property
    def length(self):
        return (self.x ** 2 + self.y ** 2) ** 0.5


def objects():
    for _ in lasts():
        point = Point(0, 0)
        for i in range(500):
            point = point + Point(i, 1)
            point.length


def recursion():
    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
    for _ in lasts():
        fibonacci(15)


def expressions():
    import re
    for _ in lasts():
        for i in range(200):
            re.sub(r"(\w+)@(\w+)", r"\2 at \1", "a%d@b c@d" % i)
            re.findall(r"\d+", "1 22 333")
            str(i).zfill(8)


def files():
    import os
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        for _ in lasts():
            path = os.path.join(folder, "f")
            with open(path, "w") as f:
                for i in range(300):
                    print(i, file=f)
            with open(path) as f:
                sum(int(line) for line in f)


def helper_thread():
    """One thread computes, another one looks every now and then."""
    import threading
    done = threading.Event()
    helper = threading.Thread(target=lambda: [None for _ in iter(lambda: done.wait(0.05), True)])
    helper.start()
    numbers()
    done.set()
    helper.join()


def consumer():
    """Threads that mostly wait for each other, as they should."""
    import queue
    import threading
    jobs = queue.Queue(4)

    def consume():
        for job in iter(jobs.get, None):
            sum(range(job))
    threads = [threading.Thread(target=consume) for _ in range(2)]
    for thread in threads:
        thread.start()
    for i in range(60):
        jobs.put(1000)
        time.sleep(0.005)
    for thread in threads:
        jobs.put(None)
    for thread in threads:
        thread.join()


def pool_at_work():
    """C code without the GIL."""
    import concurrent.futures
    import hashlib
    import os
    import zlib
    data = os.urandom(1 << 20)
    work = (lambda: hashlib.sha256(data * 2), lambda: hashlib.md5(data), lambda: hashlib.blake2b(data),
            lambda: zlib.compress(data[:100000]), lambda: zlib.crc32(data * 8))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda i: work[i % len(work)](), range(150)))


def waiting_pool():
    """A server's pool, with little to do."""
    import concurrent.futures
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            pool.submit(sum, range(1000)).result()
            time.sleep(0.02)


def processes():
    import subprocess
    for _ in range(6):
        subprocess.run([sys.executable, "-S", "-c", "sum(range(300000))"], check=True)


def server():
    """asyncio, half idle."""
    import asyncio
    async def answer(reader, writer):
        while line := await reader.readline():
            writer.write(line[::-1])
            await writer.drain()
        writer.close()

    async def main():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        for i in range(300):
            writer.write(b"%d hello\n" % i)
            await reader.readline()
            await asyncio.sleep(0.001)
        writer.close()
        server.close()
    asyncio.run(main())


def busy_server():
    """asyncio all the time, in many lines and no long one."""
    import asyncio
    async def client(at, fields):
        for i in range(at, at + 50):
            fields[i % 100] = str(i)
            await asyncio.sleep(0)
            "".join(fields[:50]).encode()

    async def main():
        fields = [""] * 100
        while time.process_time() < SECONDS:
            await asyncio.gather(*(client(i, fields) for i in range(20)))
    asyncio.run(main())


def some_json():
    import json
    for _ in lasts():
        numbers_of = {"a": [1, 2, 3]}
        for i in range(3000):
            numbers_of["a"][i % 3] += i
        json.loads(json.dumps(numbers_of))


def database():
    import sqlite3
    base = sqlite3.connect(":memory:")
    base.execute("create table t (a integer, b text)")
    for _ in lasts():
        base.executemany("insert into t values (?, ?)", [(i, str(i)) for i in range(200)])
        base.execute("select sum(a), b from t where a % 7 = 3 group by b").fetchall()
        base.execute("delete from t")


def compression():
    import hashlib
    import os
    import zlib
    data = os.urandom(1000) * 50
    for _ in lasts():
        zlib.decompress(zlib.compress(data))
        zlib.crc32(data)
        hashlib.md5(data).hexdigest()


def fractions():
    import decimal
    for _ in lasts():
        x = decimal.Decimal(1)
        for i in range(1, 200):
            x = x * 3 / decimal.Decimal(i) + 1
            int(x) ** 5 % 1000


def memory():
    """That is given back."""
    for _ in range(20):
        data = bytearray(8 << 20)
        data[::4096] = b"x" * len(data[::4096])
        del data
    numbers()


def tries():
    """Exceptions as loops over foreign data have them."""
    def read(text):
        try:
            return int(text)
        except ValueError:
            return 0
    for _ in lasts():
        sum(read(text) for text in ("1", "22", "x", "333") * 100)


def lookups():
    """Short steps of many functions."""
    table = {i: str(i) for i in range(1000)}

    def first(i):
        return table[i % 1000]

    def second(i):
        return len(first(i)) + len(first(i + 1))
    for _ in lasts():
        for i in range(500):
            second(i)


def web_server():
    """http.server with a thread for each client, most of the time idle."""
    import http.client
    import http.server
    import threading

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = b"".join(b"%d\n" % i for i in range(100))
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    for _ in range(40):
        client = http.client.HTTPConnection(*server.server_address)
        client.request("GET", "/")
        client.getresponse().read()
        client.close()
        time.sleep(0.01)
    server.shutdown()
    thread.join()
    server.server_close()


def busy_children():
    """Processes of a pool, each of which grows for its work, and ends."""
    import multiprocessing
    for _ in range(3):
        with multiprocessing.get_context("fork").Pool(2) as pool:
            pool.map(sum_of_many, range(4))
            pool.close()
            pool.join()


def sum_of_many(n):
    kept = [bytes([i % 256]) * (1 << 20) for i in range(20)]
    return sum(i * n for i in range(200000)) + len(kept)


def workers():
    """Tasks that take jobs from a queue of asyncio, and wait for each other."""
    import asyncio

    async def work(jobs, done):
        while True:
            n = await jobs.get()
            done.append(sum(range(n)))
            await asyncio.sleep(0.002)
            jobs.task_done()

    async def main():
        jobs, done = asyncio.Queue(8), []
        tasks = [asyncio.create_task(work(jobs, done)) for _ in range(4)]
        for i in range(300):
            await jobs.put(1000 + i)
        await jobs.join()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    asyncio.run(main())


def arrays():
    """Loops over arrays of numbers, as programs without numpy have them."""
    import array
    import itertools
    import math
    for _ in lasts():
        a = array.array("d", range(3000))
        b = array.array("d", (x * 0.5 for x in a))
        sum(map(math.sqrt, itertools.islice(b, 2000)))
        [x + y for x, y in zip(a, b)]
        max(a), min(b)


def first_cache():
    """A cache of results that fills at the start, and is then used."""
    import functools

    @functools.lru_cache(maxsize=1000)
    def text(n):
        return "%d" % n * 1000
    for _ in lasts():
        for i in range(1000):
            len(text(i))


NAMES = [numbers, strings, sorting, dictionaries, generators, objects, recursion, expressions, files,
         helper_thread, consumer, pool_at_work, waiting_pool, processes, server, busy_server, some_json,
         database, compression, fractions, memory, tries, lookups, web_server, busy_children, workers,
         arrays, first_cache]


if __name__ == "__main__":
    {function.__name__: function for function in NAMES}[sys.argv[1]]()
