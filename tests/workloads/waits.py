# SPDX-License-Identifier: GPL-2.0-only
"""Waits in ways that are known, each in a function and a line of its own: waits.py SCENE [FOLDER]

Prints a line of JSON when it is ready: its pid, and the line of each wait by its name.
"""
import json
import mmap
import os
import select
import sys
import tempfile
import threading
import time


def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def clocks():
    """Seconds in which this thread did not run. Read in the function whose time it is: a thread that wants a
    CPU may have to wait for it anywhere."""
    return time.clock_gettime(time.CLOCK_MONOTONIC) - time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID)


def long_sleep():
    begin = clocks()
    time.sleep(0.010)  # wait: long_sleep
    return clocks() - begin


def middle_sleep():
    begin = clocks()
    time.sleep(0.001)  # wait: middle_sleep
    return clocks() - begin


def short_sleep():
    begin = clocks()
    time.sleep(0.0002)  # wait: short_sleep
    return clocks() - begin


def sleeps():
    """Equal numbers, so that the shares go by the lengths."""
    long_sleep()
    middle_sleep()
    short_sleep()


WANTED = {long_sleep: 5, middle_sleep: 3, short_sleep: 2}  # parts of ten
slept = {sleep: 0 for sleep in WANTED}  # seconds, as this thread's own clocks say
account = None


def parts():
    """Whichever has had least of its part comes next. FOLDER/slept, where there is one, has seconds of each,
    in the order of WANTED, of sleeps that have ended."""
    global account
    sleep = min(slept, key=lambda one: slept[one] / WANTED[one])
    slept[sleep] += sleep()
    if len(sys.argv) > 2:
        account = account or os.open(os.path.join(sys.argv[2], "slept"), os.O_CREAT | os.O_WRONLY)
        os.pwrite(account, " ".join("%15.9f" % slept[one] for one in WANTED).encode(), 0)


file, PAGES = None, 4096


def open_file():
    global file
    file = tempfile.TemporaryFile(dir=sys.argv[2])
    file.write(b"x" * PAGES * mmap.PAGESIZE)
    file.flush()
    os.fsync(file.fileno())


def forget(page):
    """The kernel drops what it has of this page, and those around it."""
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return page * 97 % PAGES * mmap.PAGESIZE


def reads_file():
    if not file:
        open_file()
    for page in range(64):
        os.pread(file.fileno(), 1, forget(page))  # wait: reads_file


def touches_memory():
    if not file:
        open_file()
    memory = mmap.mmap(file.fileno(), PAGES * mmap.PAGESIZE, mmap.MAP_SHARED, mmap.PROT_READ)
    for page in range(64):
        at = forget(page)
        memory[at]  # wait: touches_memory
        memory.madvise(mmap.MADV_DONTNEED)
    memory.close()


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


epoll = select.epoll()


def deep(levels, call):
    return deep(levels - 1, call) if levels else call()


def naps():
    for _ in range(8):
        time.sleep(0.00005)  # wait: naps


def turns():
    """What an event loop does whose every turn has eight sleeps, on a deep stack."""
    epoll.poll(0.001)
    deep(200, naps)


def busy():
    burn(0.02)
    time.sleep(0.001)  # wait: busy


def burns():
    while True:
        burn(1)


SCENES = {"sleeps": (sleeps, None), "lock": (wants_lock_again, hold), "pipe": (reads_pipe, writes),
          "poll": (polls, None), "busy": (busy, None), "parts": (parts, None), "file": (reads_file, None),
          "memory": (touches_memory, None), "turns": (turns, None),
          "greedy": (busy, burns)}


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
