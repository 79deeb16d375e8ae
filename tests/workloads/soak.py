# SPDX-License-Identifier: GPL-2.0-only
"""Everything that comes and goes in programs, at a low rate, for as long as it is let: functions that are
made and forgotten, threads, children that are forked, children that are other programs, and such that have
a library and code of their own, every second one in a mount namespace (soak_child.py). Usage: soak.py ROUND.
A round takes ROUND seconds, most of which it sleeps. Prints its pid when it is ready."""
import collections
import json
import os
import sys
import threading
import time

SOURCE = """
def made_{n}(seconds, depth):
    if depth:
        return made_{n}(seconds, depth - 1)
    return burn(seconds)
"""
CHILD = "import time\nend = time.process_time() + {seconds}\nwhile time.process_time() < end:\n    pass\n"
NATIVE_CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "soak_child.py")
NATIVE = collections.deque()  # pids of children with code of their own
MADE = collections.deque(maxlen=50)  # so many functions live at a time; their memory is used again


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def make_function(n):
    scope = {"burn": burn}
    exec(compile(SOURCE.format(n=n), "made_%d.py" % (n % 1000), "exec"), scope)
    MADE.append(scope["made_%d" % n])
    MADE[-1](0.004, n % 30)


def run_thread(n):
    thread = threading.Thread(target=burn, args=(0.004,), name="thread-%d" % (n % 100))
    thread.start()
    thread.join()


def fork(n):
    pid = os.fork()
    if not pid:
        burn(0.004)
        os._exit(0)
    os.waitpid(pid, 0)


def start_program(n):
    code = CHILD.format(seconds=0.01)
    arguments = [sys.executable, "-I", "-S", "-c", code]
    os.waitpid(os.posix_spawn(sys.executable, arguments, {}), 0)


def start_native(n):
    """One that nobody waits for at once, so that there are two or so at a time."""
    while NATIVE and os.waitpid(NATIVE[0], 0 if len(NATIVE) > 1 else os.WNOHANG)[0]:
        NATIVE.popleft()
    arguments = [sys.executable, "-I", "-S", NATIVE_CHILD, *["apart"] * (n // 10 % 2)]
    NATIVE.append(os.posix_spawn(sys.executable, arguments, {}))


# What a round does, and each how many rounds.
STEPS = (make_function, 1), (run_thread, 2), (fork, 4), (start_program, 10), (start_native, 10)


def main():
    length = float(sys.argv[1])
    print(json.dumps({"pid": os.getpid()}), flush=True)
    n = 0
    while True:
        begin = time.monotonic()
        for step, every in STEPS:
            if n % every == 0:
                step(n)
        n += 1
        time.sleep(max(0, begin + length - time.monotonic()))


if __name__ == "__main__":
    main()
