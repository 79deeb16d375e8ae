# SPDX-License-Identifier: GPL-2.0-only
"""A short life of a program that has a library that nobody else has, as each container has, and code that it
made itself, with a perf map: what the profiler has to give back when the program is gone. The soak starts
many of them (soak.py).

    soak_child.py [apart]    apart: its library is in a mount namespace and on a file system of its own, which
                             end with it, as a container's do. It needs root."""
import contextlib
import ctypes
import mmap
import os
import platform
import re
import shutil
import sys
import tempfile
import time

# Counts its argument down to 0.
LOOP = {"x86_64": "4889f848ffc875fbc3", "aarch64": "000400f1e1ffff54c0035fd6"}
# So many and so long that the room for them is a quarter full, from where on it is given back, after some
# dozen of these programs, which are a minute or two.
NAMES, NAME_LENGTH = 2500, 60
NEWNS, MS_REC_PRIVATE, MNT_DETACH = 0x20000, 0x44000, 2


@contextlib.contextmanager
def own_mount(folder):
    """A file system that this process alone sees."""
    libc = ctypes.CDLL(None, use_errno=True)

    def must(failed):
        if failed:
            raise OSError(ctypes.get_errno(), "a mount namespace of its own")
    must(libc.unshare(NEWNS))
    must(libc.mount(b"none", b"/", None, MS_REC_PRIVATE, None))
    must(libc.mount(b"tmpfs", folder.encode(), b"tmpfs", 0, None))
    yield
    must(libc.umount2(folder.encode(), MNT_DETACH))  # the library is still mapped


def own_library(path):
    """A copy of libm, loaded."""
    ctypes.CDLL("libm.so.6")
    with open("/proc/self/maps") as maps:
        libm = re.search(r"/\S*libm\.so\.6$", maps.read(), re.M)[0]
    library = ctypes.CDLL(shutil.copy(os.path.realpath(libm), path))
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
    apart = sys.argv[1:] == ["apart"]
    with tempfile.TemporaryDirectory() as folder, own_mount(folder) if apart else contextlib.nullcontext():
        library = own_library(os.path.join(folder, "libapart.so" if apart else "libown.so"))
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
