# SPDX-License-Identifier: GPL-2.0-only
"""Burns CPU time in native code, under Python functions that say so.

native.py LIBRARY MODE. Prints a line of JSON when it is ready. LIBRARY is burn.c with the prefix a_, or -.
  shares     a_heavy takes three times what a_light takes, each below its own line; in slices of random
             lengths, so that they cannot keep step with the ticks
  thread     a thread that has no thread state
  syscall    reads /dev/zero and calculates; SIGTERM: says how much CPU time each took
  reload     after a line on stdin, closes the library and burns in OTHER, the next argument
  jit        burns in code that it has written into memory
  writable   the same, in memory that stays writable, made after a line on stdin
  perf_map   the same, in two functions, of which it says the names in its perf map: of the second one only
             after a line on stdin
  python     no native code of its own
  fork       after a line on stdin, burns in a child"""
import ctypes
import json
import mmap
import os
import random
import signal
import sys
import threading
import time

LIBRARY, MODE = sys.argv[1:3]
TIMES = {"read": 0.0, "calculate": 0.0}


def in_heavy(library, n=300000):
    library.a_heavy(ctypes.c_uint64(n))


def in_light(library, n=300000):
    library.a_light(ctypes.c_uint64(n))


def shares(library):
    draw = random.Random(1).random  # without a Python function of its own
    while True:
        n = int(600000 * draw())
        in_heavy(library, n)
        in_light(library, n)


def thread(library):
    library.a_start()
    while True:
        time.sleep(1)


def reading(zero):
    for _ in range(20):
        os.read(zero, 1 << 20)


def calculating():
    total = 0
    for i in range(30000):
        total += i * i
    return total


def timed(name, function, *arguments):
    before = time.thread_time()
    function(*arguments)
    TIMES[name] += time.thread_time() - before


def say_times(*_):
    print(json.dumps(TIMES), flush=True)
    os._exit(0)


def syscall(_):
    signal.signal(signal.SIGTERM, say_times)
    zero = os.open("/dev/zero", os.O_RDONLY)
    while True:
        timed("read", reading, zero)
        timed("calculate", calculating)


def in_other(library):
    library.b_heavy(ctypes.c_uint64(300000))


def dlclose(library):
    close = ctypes.CDLL(None).dlclose
    close.argtypes = [ctypes.c_void_p]
    assert close(library._handle) == 0


def wait_for_line(burn, *arguments):
    """Burns until a line has come."""
    os.set_blocking(0, False)
    while not sys.stdin.buffer.raw.read(1):
        burn(*arguments)


def reload(library):
    wait_for_line(in_heavy, library)
    dlclose(library)
    other = ctypes.CDLL(sys.argv[3])
    while True:
        in_other(other)


FUNCTION = b"\xb8\xe0\x93\x04\x00\xff\xc8\x75\xfc\xc3"  # mov $300000, %eax; 1: dec %eax; jnz 1b; ret

MADE = []


def write_code(*functions, protection=mmap.PROT_READ | mmap.PROT_EXEC):
    """The addresses of functions in memory of no file, 64 bytes from one to the next."""
    memory = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
                       prot=mmap.PROT_READ | mmap.PROT_WRITE)
    for i, function in enumerate(functions):
        memory[64 * i:64 * i + len(function)] = function
    MADE.append(memory)  # or it would be unmapped
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    protect = ctypes.CDLL(None).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert protect(address, 4096, protection) == 0
    return [address + 64 * i for i in range(len(functions))]


def jit(_):
    written = ctypes.CFUNCTYPE(None)(write_code(FUNCTION)[0])
    while True:
        written()


def writable(_):
    wait_for_line(calculating)
    everything = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    written = ctypes.CFUNCTYPE(None)(write_code(FUNCTION, protection=everything)[0])
    while True:
        written()


def perf_map(_):
    first, second = write_code(FUNCTION, FUNCTION)
    functions = [ctypes.CFUNCTYPE(None)(address) for address in (first, second)]
    path = "/tmp/perf-%d.map" % os.getpid()

    def name_second():
        sys.stdin.readline()
        with open(path, "a") as file:
            file.write("%x %x made_later\n" % (second, len(FUNCTION)))

    with open(path, "w") as file:
        file.write("%x %x made_first\n" % (first, len(FUNCTION)))
    threading.Thread(target=name_second, daemon=True).start()
    while True:
        for function in functions:
            function()


def python(_):
    while True:
        calculating()


def fork(library):
    wait_for_line(in_heavy, library)
    if not os.fork():
        while True:
            in_light(library)
    while True:
        time.sleep(1)


def main():
    library = ctypes.CDLL(LIBRARY if LIBRARY != "-" else None)
    print("{}", flush=True)
    globals()[MODE](library)


main()
