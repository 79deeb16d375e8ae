# SPDX-License-Identifier: GPL-2.0-only
"""Waits in ways that are known, each in a function and a line of its own: waits.py SCENE

Prints a line of JSON when it is ready: its pid, and the line of each wait by its name.
"""
import json
import os
import select
import sys
import threading
import time



def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def long_sleep():
    time.sleep(0.010)  # wait: long_sleep


def middle_sleep():
    time.sleep(0.001)  # wait: middle_sleep


def short_sleep():
    time.sleep(0.0002)  # wait: short_sleep


def sleeps():
    """Equal numbers, so that the shares go by the lengths."""
    long_sleep()
    middle_sleep()
    short_sleep()


lock, other_end = threading.Lock(), os.pipe()


def hold():
    """Has the lock most of the time."""
    while True:
        with lock:
            time.sleep(0.004)  # wait: hold
        time.sleep(0.001)  # wait: let_go


def wants_lock():
    lock.acquire()  # wait: wants_lock
    lock.release()


def wants_lock_again():
    wants_lock()
    time.sleep(0.001)  # wait: wants_lock_again


def writes():
    while True:
        time.sleep(0.003)  # wait: writes
        os.write(other_end[1], b"x")


def reads_pipe():
    os.read(other_end[0], 1)  # wait: reads_pipe


def polls():
    select.select([], [], [], 0.003)  # wait: polls


def busy():
    burn(0.02)
    time.sleep(0.001)  # wait: busy


SCENES = {"sleeps": (sleeps, None), "lock": (wants_lock_again, hold), "pipe": (reads_pipe, writes),
          "poll": (polls, None), "busy": (busy, None)}


def main():
    scene, helper = SCENES[sys.argv[1]]
    if helper:
        thread = threading.Thread(target=helper)
        thread.daemon = True
        thread.start()
    lines = {text.split("# wait: ")[1].strip(): number
             for number, text in enumerate(open(__file__).read().splitlines(), 1)
             if "# wait: " in text and "split" not in text}
    print(json.dumps({"pid": os.getpid(), "lines": lines}))
    sys.stdout.flush()
    while True:
        scene()


if __name__ == "__main__":
    main()
