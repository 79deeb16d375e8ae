# SPDX-License-Identifier: GPL-2.0-only
"""Burns CPU time in a library made of lines.c. lines.py LIBRARY. Prints a line of JSON when it is ready."""
import ctypes
import json
import os
import sys

LIBRARY = ctypes.CDLL(sys.argv[1])


def burn():
    LIBRARY.lines_entry(2000)


print(json.dumps({"pid": os.getpid()}), flush=True)
while True:
    burn()
