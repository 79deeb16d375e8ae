# SPDX-License-Identifier: GPL-2.0-only
"""Eight threads: six that compute, in work_0() to work_5(), one that waits for the others' lock and one that
sleeps. Runs until it is killed."""
import json
import os
import threading
import time

lock = threading.Lock()


def spin(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(2000))


def holds_lock():
    with lock:
        spin(0.01)


def waits_for_lock():
    while True:
        with lock:
            pass
        time.sleep(0.001)


def sleeps():
    while True:
        time.sleep(0.05)


def worker(number):
    name = "work_%d" % number
    scope = {"spin": spin, "holds_lock": holds_lock}
    exec(compile("def %s():\n    while True:\n        spin(0.02)\n        holds_lock()\n" % name, __file__,
                 "exec"), scope)
    return scope[name]


def main():
    functions = [*map(worker, range(6)), waits_for_lock, sleeps]
    for function in functions:
        threading.Thread(target=function, name=function.__name__, daemon=True).start()
    print(json.dumps({"pid": os.getpid(), "functions": [f.__name__ for f in functions]}), flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
