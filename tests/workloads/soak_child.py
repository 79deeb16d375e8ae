# SPDX-License-Identifier: GPL-2.0-only
"""A short life of a program that has a library that nobody else has, as each container has, and code that it
made itself, with a perf map: what the profiler has to give back when the program is gone. The soak starts
many of them (soak.py)."""
import ctypes
import mmap
import os
import platform
import re
import shutil
import tempfile
import time

# Counts its argument down to 0.
LOOP = {"x86_64": "4889f848ffc875fbc3", "aarch64": "000400f1e1ffff54c0035fd6"}
# So many and so long that the room for them is a quarter full, from where on it is given back, after some
# dozen of these programs, which are a minute or two.
NAMES, NAME_LENGTH = 2500, 60


def own_library(folder):
    """A copy of libm, loaded."""
    ctypes.CDLL("libm.so.6")
    with open("/proc/self/maps") as maps:
        path = re.search(r"/\S*libm\.so\.6$", maps.read(), re.M)[0]
    library = ctypes.CDLL(shutil.copy(os.path.realpath(path), os.path.join(folder, "libown.so")))
    library.tgamma.argtypes, library.tgamma.restype = [ctypes.c_double], ctypes.c_double
    return library


def own_code():
    """(memory, function) of code that is in no file, and has a name in the perf map."""
    memory = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
                       prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(bytes.fromhex(LOOP[platform.machine()]))
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    with open("/tmp/perf-%d.map" % os.getpid(), "w") as names:
        names.write("%x %x made_at_run_time\n" % (start, 64))
        for n in range(NAMES):
            names.write("%x 1 %s\n" % (start + 64 + n, ("not_called_%d_" % n).ljust(NAME_LENGTH, "x")))
    return memory, ctypes.CFUNCTYPE(None, ctypes.c_ulong)(start)


def main():
    with tempfile.TemporaryDirectory() as folder:
        library = own_library(folder)
        memory, function = own_code()
        try:
            end = time.monotonic() + 0.6
            while time.monotonic() < end:
                function(5000000)
                for _ in range(2000):
                    library.tgamma(3.3)
                time.sleep(0.05)
        finally:
            os.unlink("/tmp/perf-%d.map" % os.getpid())
        del memory


if __name__ == "__main__":
    main()
