# SPDX-License-Identifier: GPL-2.0-only
"""Threads that use the CPU in ways that ticks see, or do not: accounts.py SCENE [US]

Prints a line of JSON when it is ready.
"""
import _thread
import ctypes
import json
import os
import signal
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


def brief():
    """A thread that runs for a millisecond, after it has waited for the one CPU that both share. How long
    such threads waited for it, by the kernel's own account, is summed up in a file."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    _thread.start_new_thread(brief_one, ())
    burn(0.003)
    time.sleep(0.005)


def brief_one():
    """At its end nothing makes the scheduler bring its account up to date: no clock, no wake-up."""
    with open("/proc/thread-self/schedstat", "rb", 0) as stat:
        queued[0] += int(stat.read().split()[1])
    with open(sys.argv[2], "r+b", 0) as file:
        file.write(b"%020d" % queued[0])
    for _ in range(50000):
        pass


def alarms():
    """A timer's signal interrupts all that it does."""
    signal.signal(signal.SIGALRM, lambda number, frame: None)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    turns()


def traced():
    """Somebody stops it again and again."""
    if not tracers:
        tracers.append(os.fork() or trace(os.getppid()))
    burn(0.002)


def trace(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long] * 4
    libc.ptrace(0x4206, pid, 0, 0)  # PTRACE_SEIZE
    while libc.ptrace(0x4207, pid, 0, 0) == 0:  # PTRACE_INTERRUPT
        os.waitpid(pid, 0)
        time.sleep(0.002)
        libc.ptrace(7, pid, 0, 0)  # PTRACE_CONT
        time.sleep(0.004)
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


pipes, tracers, queued = [], [], [0]
scene = globals()[sys.argv[1]]
print(json.dumps({"pid": os.getpid()}), flush=True)
while True:
    scene()
