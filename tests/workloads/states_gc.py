# SPDX-License-Identifier: GPL-2.0-only
"""Burns CPU time within and beside collections of garbage, until killed: one function for each case. A
collection happens only where a function asks for it, or switches it on."""
import gc
import json
import os
import sys
import threading
import time

KEPT = [[i] for i in range(300000)]  # what a collection has to look through


def burn(times):
    n = 0
    for i in range(times):
        n += i
    return n


class Finalized(object):
    def __init__(self, finalizer):
        self.me = self
        self.finalizer = finalizer

    def __del__(self):
        self.finalizer()


def burns_in_finalizer():
    burn(300000)


def sleeps_in_finalizer():
    time.sleep(0.02)  # lets go of the GIL: the other thread runs, within this collection


def collects():
    gc.collect()


def has_collected():
    burn(300000)


def allocates():
    return [[i] for i in range(100000)]


def is_made_to_collect():
    gc.enable()
    found = [[i] for i in range(100000)]
    gc.disable()
    return found


def runs_beside():
    while True:
        burn(100000)


def main():
    gc.disable()
    print(json.dumps({"pid": os.getpid()}))
    sys.stdout.flush()
    beside = threading.Thread(target=runs_beside)
    beside.daemon = True
    beside.start()
    while True:
        for scene in (collects, has_collected, allocates, is_made_to_collect):
            scene()
        for finalizer in (burns_in_finalizer, sleeps_in_finalizer):
            Finalized(finalizer)
            gc.collect()


if __name__ == "__main__":
    main()
