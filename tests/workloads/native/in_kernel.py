# SPDX-License-Identifier: GPL-2.0-only
"""Burns CPU time in the kernel, by four Python functions in turn that each say how. SIGTERM: says in JSON how
much CPU time each took."""
import json
import mmap
import os
import signal
import time

TIMES = {}
ZERO = os.open("/dev/zero", os.O_RDONLY)
PIPE = os.pipe()
BYTES = bytearray(1 << 20)


def reading():
    for _ in range(16):
        os.readv(ZERO, [BYTES])


def asking():
    for _ in range(2000):
        os.getppid()


def piping():
    for _ in range(100):
        os.write(PIPE[1], BYTES[:60000])
        os.read(PIPE[0], 60000)


def touching():
    """Memory that was never used: the kernel clears each page when it is met."""
    size = 1 << 22
    with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        for at in range(0, size, mmap.PAGESIZE):
            memory[at] = 1


def calculating():
    return sum(range(20000))


def say_times(*_):
    print(json.dumps(TIMES), flush=True)
    os._exit(0)


def main():
    signal.signal(signal.SIGTERM, say_times)
    print("{}", flush=True)
    while True:
        for function in (reading, asking, piping, touching, calculating):
            before = time.thread_time()
            function()
            TIMES[function.__name__] = TIMES.get(function.__name__, 0) + time.thread_time() - before


main()
