# SPDX-License-Identifier: GPL-2.0-only
"""Sub-interpreters that burn CPU at once, each in the thread that made it; the main interpreter does as well.
Usage: subinterpreters.py shared|own: whether they share one GIL (3.12+: own). Runs until it is killed."""
import json
import os
import sys
import threading

# Up to 3.12 nobody asks a thread of another interpreter for the GIL: it has to let go by itself, for long
# enough that the others wake up.
BODY = """
import time
def burn_in_%s():
    n = 0
    while True:
        for i in range(20000):
            n += i
        time.sleep(0.0005)
burn_in_%s()
"""


def runner(own):
    """A function that makes an interpreter and one that runs a script in it;
    None where there is none such."""
    try:
        if sys.version_info >= (3, 13):
            import _interpreters
            kind = "isolated" if own else "legacy"
            return (lambda: _interpreters.create(kind)), _interpreters.exec
        import _xxsubinterpreters
        if own and sys.version_info < (3, 12):
            return None
        options = {"isolated": own} if sys.version_info >= (3, 9) else {}
        return (lambda: _xxsubinterpreters.create(**options)), _xxsubinterpreters.run_string
    except ImportError:
        return None


def main():
    made = runner(sys.argv[1] == "own")
    if not made:
        print(json.dumps({"skip": "no such sub-interpreters"}), flush=True)
        return
    create, run = made
    for name in ("first", "second"):
        threading.Thread(target=lambda name=name: run(create(), BODY % (name, name)), daemon=True).start()
    print(json.dumps({"pid": os.getpid()}), flush=True)
    exec(BODY % ("main", "main"), {})


if __name__ == "__main__":
    main()
