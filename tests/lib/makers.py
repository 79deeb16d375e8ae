# SPDX-License-Identifier: GPL-2.0-only
"""Programs for `python -c` that make functions without end."""

# Functions made all the time, each below one of a hundred callers: codes and nodes by the thousand.
MAKER = """
import json, time
print(json.dumps({}), flush=True)
n = 0
def work(made):
    end = time.process_time() + .0015
    while time.process_time() < end:
        made()
while True:
    n += 1
    scope = {}
    source = 'def f%d():\\n return sum(range(300))\\ndef g%d(work):\\n work(f%d)' % (n, n, n)
    exec(compile(source, 'made%d.py' % n, 'exec'), scope)
    scope['g%d' % n](work)
"""
