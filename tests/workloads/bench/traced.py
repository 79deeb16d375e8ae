# SPDX-License-Identifier: GPL-2.0-only
"""Runs a program under sys.setprofile and logs every call and return.
Usage: traced.py LOG PROGRAM [ARG...]."""
import os
import runpy
import sys

log = open(sys.argv[1], "w", buffering=1 << 16)


def on_event(frame, event, argument):
    if event in ("call", "return"):
        code = frame.f_code
        log.write("%s %s %s:%d\n" % (event, code.co_name, code.co_filename, frame.f_lineno))


sys.argv = sys.argv[2:]
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
sys.setprofile(on_event)
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    sys.setprofile(None)
