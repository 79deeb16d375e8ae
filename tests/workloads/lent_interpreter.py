# SPDX-License-Identifier: GPL-2.0-only
"""The main thread makes a sub-interpreter, and another thread burns CPU in it, until it is killed."""
import json
import os
import threading

try:
    import _interpreters as interpreters
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string

CODE = """
def burn_in_sub():
    n = 0
    while True:
        for i in range(20000):
            n += i
def called_in_sub():
    burn_in_sub()
called_in_sub()
"""

if __name__ == "__main__":
    made = interpreters.create()
    print(json.dumps({"pid": os.getpid()}), flush=True)
    threading.Thread(target=lambda: run(made, CODE)).start()
