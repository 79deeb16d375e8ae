# SPDX-License-Identifier: GPL-2.0-only
"""Threads that use the CPU in ways that ticks see, or do not: accounts.py SCENE [US]

Prints a line of JSON when it is ready.
"""
import json
import os
import sys
import threading
import time


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for _ in range(100):
            pass


def naps():
    """Runs for some microseconds at a time: to fall asleep, and to wake up."""
    time.sleep(int(sys.argv[2]) / 1e6)


def busy():
    burn(0.02)


def turns():
    burn(0.002)
    time.sleep(0.001)


def short_threads():
    threads = [threading.Thread(target=burn, args=(0.005,)) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()


def children():
    burn(0.005)
    if pid := os.fork():
        os.waitpid(pid, 0)
    else:
        burn(0.005)
        os._exit(0)


def spawned():
    """By vfork and exec."""
    burn(0.005)
    os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)


def pipe():
    """Two threads that pass a byte to and fro."""
    if not pipes:
        pipes.extend((*os.pipe(), *os.pipe()))
        threading.Thread(target=answer, daemon=True).start()
    os.write(pipes[1], b"x")
    burn(0.001)
    os.read(pipes[2], 1)


def answer():
    while True:
        os.read(pipes[0], 1)
        burn(0.001)
        os.write(pipes[3], b"x")


pipes = []
scene = globals()[sys.argv[1]]
print(json.dumps({"pid": os.getpid()}), flush=True)
while True:
    scene()
