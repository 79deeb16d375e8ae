# SPDX-License-Identifier: GPL-2.0-only
"""Two sub-interpreters with a GIL each (3.12+), and in each two threads that want it all of the time.
Runs until it is killed."""
import json
import os
import threading

from subinterpreters import runner

BODY = """
import threading
def started_in_{0}():
    while True:
        pass
def began_in_{0}():
    while True:
        pass
threading.Thread(target=started_in_{0}).start()
began_in_{0}()
"""


def main():
    create, run = runner(own=True)
    for name in ("first", "second"):
        threading.Thread(target=lambda name=name: run(create(), BODY.format(name)), daemon=True).start()
    print(json.dumps({"pid": os.getpid()}), flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
