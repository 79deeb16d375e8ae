# SPDX-License-Identifier: GPL-2.0-only
"""Programs of one user that take as much of the profiler's tables as they can, and a service of another user
beside them, of which it is counted how many samples are whole and named."""
import re

import interpreters
import profiler
from hostile import LEFT_RIGHT

STRANGER = 65531  # a uid that nobody has

# A process of another user, which forks so many that attack. They have a low priority, since it is not
# the CPU that they are to take from the service, and end with the one that forked them.
CROWD = """
import _thread, ctypes, json, os, random, sys, time, types
sys.setrecursionlimit(5000)
kind, count, uid = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

""" + LEFT_RIGHT + """
def stacks():
    "Each is another, 900 deep."
    while True:
        left(900, random.getrandbits(900))

def link(chain, n):
    if n < len(chain):
        return chain[n](chain, n + 1)
    return sum(range(100000))
def codes(width=1, depth=900):
    "Chains of functions that were made just now, with names of so many characters."
    n = 0
    while True:
        n += 1
        chain = [types.FunctionType(link.__code__.replace(
            co_name=("%d_%d_%d_" % (os.getpid(), n, i)).ljust(width, "x"),
            co_filename=("%d_%d_%d_" % (os.getpid(), n, i)).ljust(width, "y")), globals())
            for i in range(depth)]
        link(chain, 0)

def names():
    codes(1000)

def burn(done):
    sum(range(20000))
    done.release()
def threads(at_once=20):
    "Each lives for about a millisecond."
    while True:
        all_done = [_thread.allocate_lock() for i in range(at_once)]
        for done in all_done:
            done.acquire()
            _thread.start_new_thread(burn, (done,))
        for done in all_done:
            done.acquire()

os.setgid(uid)
os.setuid(uid)
libc = ctypes.CDLL(None)
children = []
for _ in range(count):
    children.append(os.fork())
    if not children[-1]:
        libc.prctl(1, 9)
        os.nice(10)
        globals()[kind]()
print(json.dumps({"children": children}), flush=True)
time.sleep(1000)
"""

# A service: a thousand functions of its own, the deepest of which calls itself three times. With an argument
# each hundred of them are called by a new thread.
SERVICE = """
import _thread, json, sys, time
def work(n):
    end = time.process_time() + .0005
    while time.process_time() < end:
        sum(range(200))
scope = {"work": work}
for i in range(1000):
    exec("def handler%d(depth):\\n    return handler%d(depth - 1) if depth else work(%d)" % (i, i, i), scope)
def serve(first=0, last=1000):
    for i in range(first, last):
        scope["handler%d" % i](i % 4)
hundred = compile("serve(first, first + 100); done.release()", "service", "exec")
def in_thread(first):
    done = _thread.allocate_lock()
    done.acquire()
    _thread.start_new_thread(exec, (hundred, {"serve": serve, "first": first, "done": done}))
    done.acquire()
print(json.dumps({}), flush=True)
while True:
    if sys.argv[1:]:
        for first in range(0, 1000, 100):
            in_thread(first)
    else:
        serve()
"""

SERVED = re.compile(r"handler\d+$")


def is_whole(sample):
    """Whether the service's stack is complete, and each frame has its name."""
    names = [frame[0] for frame in sample.stack]
    handlers = names[names[:1] == ["work"]:-2]
    return names[-2:] == ["serve", "<module>"] and len(set(handlers)) <= 1 and \
        all(map(SERVED.match, handlers))


def whole_share(samples):
    return profiler.share(samples, is_whole)


def crowd(kind, count, python=None):
    """A target of so many processes; about["children"] are their pids."""
    return profiler.target(python or interpreters.newest().path, "-ISc", CROWD, kind, count, STRANGER)
