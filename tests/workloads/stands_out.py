# SPDX-License-Identifier: GPL-2.0-only
"""Programs with one fault each, and the same ones without it: stands_out.py CODE|sound:CODE [SECONDS]

CODE is a rule of user/findings/rules.def. Each runs until it has used so many seconds of CPU time, or done
as many turns, and ends. Imports take several times as long where caches are cold, and what follows does not;
so it goes on until they are a small part of all.
"""
import asyncio
import concurrent.futures
import copy
import gc
import json
import os
import sys
import tempfile
import threading
import time
import zlib

GIVEN = float(sys.argv[2]) if len(sys.argv) > 2 else 0.8
IMPORTED = time.process_time()
SECONDS = max(GIVEN, 6 * IMPORTED)


def lasts(seconds=None):
    """So much CPU time of the process."""
    end = time.process_time() + (seconds or SECONDS)
    while time.process_time() < end:
        yield


def burn(n=20000):
    x = 0
    for i in range(n):
        x += i * i
    return x


def burns():
    for _ in lasts():
        burn()


def does_more_than_to_import():
    """For what hardly computes."""
    while time.process_time() < 8 * IMPORTED:
        burn()


def started(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# gil_wait, gil_full
def contends():
    started(burns, burns, burns)


def does_not_contend():
    started(burns)


# loop_waits
def blocks():
    time.sleep(0.02)


async def waits_in_loop():
    for _ in range(40):
        blocks()
        await asyncio.sleep(0.001)


async def waits_beside_loop():
    for _ in range(40):
        await asyncio.get_running_loop().run_in_executor(None, blocks)
        await asyncio.sleep(0.001)


# loop_busy
async def burns_in_loop():
    for _ in lasts():
        long = sum(range(2000000))
        await asyncio.sleep(0)
    return long


async def is_lively():
    """Half of its time it sleeps, and the rest is of many lines."""
    for _ in lasts(SECONDS / 2):
        begin = time.perf_counter()
        burn(2000)
        sorted(str(i) for i in range(500))
        json.dumps(list(range(500)))
        await asyncio.sleep(3 * (time.perf_counter() - begin))


# imports
def imports_what(text):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "takes_long.py"), "w") as f:
            f.write(text)
        sys.path.insert(0, folder)
        import takes_long  # imported here
        takes_long.later(lasts, burn)


BODY = "def later(lasts, burn):\n    for _ in lasts(%s):\n        burn()\n"


def imports():
    imports_what("import time\nend = time.process_time() + %g\nwhile time.process_time() < end:\n    pass\n%s"
                 % (SECONDS, BODY % 0.2))


def imports_little():
    imports_what(BODY % SECONDS)


# collections
def collects():
    kept = [[i] for i in range(100000)]
    for _ in lasts():
        gc.collect()
    return kept


def collects_little():
    gc.collect()
    burns()


# exceptions
def handles():
    for _ in lasts():
        try:
            int("x")
        except ValueError:
            burn()


def handles_little():
    for _ in lasts():
        try:
            int("x")
        except ValueError:
            pass
        burn()


# serialisation
DATA = [{"a": i, "b": [str(i)] * 5} for i in range(300)]


def encodes():
    for _ in lasts():
        json.loads(json.dumps(DATA, indent=1))


def encodes_little():
    for _ in lasts():
        json.dumps(DATA[:1])
        burn()


# deep_copies
def copies():
    for _ in lasts():
        copy.deepcopy(DATA)


def copies_little():
    for _ in lasts():
        list(DATA)
        burn()


# memory_copies, native_spot
def copies_memory():
    target, source = bytearray(8 << 20), bytes(8 << 20)
    for _ in lasts():
        target[:] = source


def checks():
    data = os.urandom(1 << 20)
    for _ in lasts():
        zlib.crc32(data)


# package
def uses_package():
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.join(folder, "site-packages")
        os.makedirs(os.path.join(folder, "heavy"))
        with open(os.path.join(folder, "heavy", "__init__.py"), "w") as f:
            f.write("def burn(n):\n    x = 0\n    for i in range(n):\n        x += i\n")
        sys.path.insert(0, folder)
        import heavy
        for _ in lasts():
            heavy.burn(50000)


# pool_starves
def starves():
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for _ in lasts():
            pool.submit(abs, burn())


def has_work():
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: burns(), range(3)))


# no_cpu, cpu_quota
def rests():
    for _ in range(20):
        time.sleep(0.02)


# growth
kept, MIB = [], b"x" * (1 << 20)


def grows():
    for _ in range(100):
        kept.append(bytearray(MIB))
        time.sleep(0.001)


def grows_and_shrinks():
    for _ in range(100):
        bytearray(MIB)
        time.sleep(0.001)


# growth_goes_on
def grows_on():
    for _ in range(int(100 * GIVEN)):
        kept.append(bytearray(MIB))
        time.sleep(0.1)


def fills_a_cache():
    """It is full after a third of the time; then new entries take the place of old ones."""
    for i in range(80):
        kept.append(bytearray(MIB))
        if i > 25:
            kept.pop(0)
        time.sleep(0.1)


# not_whole
def is_deep(depth=200):
    if depth:
        is_deep(depth - 1)
    else:
        burns()


# only_ticks
def waits_only():
    """Its start is little of its time, however slow the machine is."""
    time.sleep(max(2.5, 20 * time.process_time()))


def in_loop(coroutine):
    return lambda: asyncio.run(coroutine())


# By code: the one with the fault, and the one without it.
SCENES = {
    "gil_wait": (contends, does_not_contend),
    "gil_full": (contends, does_not_contend),
    "loop_waits": (in_loop(waits_in_loop), in_loop(waits_beside_loop)),
    "loop_busy": (in_loop(burns_in_loop), in_loop(is_lively)),
    "imports": (imports, imports_little),
    "collections": (collects, collects_little),
    "exceptions": (handles, handles_little),
    "serialisation": (encodes, encodes_little),
    "deep_copies": (copies, copies_little),
    "memory_copies": (copies_memory, burns),
    "package": (uses_package, burns),
    "native_spot": (checks, burns),
    "pool_starves": (starves, has_work),
    "no_cpu": (burns, rests),
    "cpu_quota": (burns, rests),
    "growth": (grows, grows_and_shrinks),
    "growth_goes_on": (grows_on, fills_a_cache),
    "not_whole": (is_deep, burns),
    "only_ticks": (waits_only, burns),
}


if __name__ == "__main__":
    sound, _, code = sys.argv[1].rpartition(":")
    SCENES[code][bool(sound)]()
    if sound:
        does_more_than_to_import()
