# SPDX-License-Identifier: GPL-2.0-only
"""A program that hangs in every way at once: two locks taken in both orders, a full pipe, a server that does
not answer, a poll, a deep recursion that sleeps. On SIGUSR1 it writes all its stacks itself, into the file
given. Prints the thread numbers by name, as JSON, when all have begun."""
import json
import os
import select
import signal
import socket
import sys
import threading
import time

try:
    import faulthandler
    faulthandler.register(signal.SIGUSR1, open(sys.argv[1], "w"), all_threads=True)
except ImportError:
    pass  # 2.7

numbers = {}
one, other = threading.Lock(), threading.Lock()
both = [threading.Event(), threading.Event()]


def first():
    with one:
        both[0].set()
        both[1].wait()
        other.acquire()  # hangs: first


def second():
    with other:
        both[1].set()
        both[0].wait()
        one.acquire()  # hangs: second


def writer():
    end = os.pipe()[1]
    while True:
        os.write(end, b"x" * 4096)  # hangs: writer


def asker():
    nobody = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    nobody.bind(("127.0.0.1", 0))
    question = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    question.connect(nobody.getsockname())
    numbers["port"] = nobody.getsockname()[1]
    question.recv(1)  # hangs: asker


def poller():
    poll = select.poll()
    poll.register(os.pipe()[0])
    poll.poll()  # hangs: poller


def deep(more=100):
    if more:
        deep(more - 1)
    else:
        time.sleep(1000)  # hangs: deep


def begin(function):
    numbers[function.__name__] = int(os.readlink("/proc/thread-self").split("/")[-1])
    function()


threads = [threading.Thread(target=begin, args=(f,)) for f in (first, second, writer, asker, poller, deep)]
for thread in threads:
    thread.daemon = True
    thread.start()
while len(numbers) < len(threads) + 1:
    time.sleep(0.01)
numbers["main"] = os.getpid()
print(json.dumps(numbers))
sys.stdout.flush()
time.sleep(1000)  # hangs: main
