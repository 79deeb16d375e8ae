# SPDX-License-Identifier: GPL-2.0-only
"""Maps many files with code and burns CPU time beside them: files.py DIRECTORY COUNT [SIZE]. A file takes no
disk space, whatever its SIZE is. Prints a line of JSON when all are mapped."""
import ctypes
import json
import os
import sys

DIRECTORY, COUNT = sys.argv[1], int(sys.argv[2])
SIZE = int(sys.argv[3]) if len(sys.argv) > 3 else 4096
READ_EXEC, PRIVATE, PAGE = 5, 2, 4096

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]


def map_file(path):
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    os.ftruncate(fd, SIZE)
    if libc.mmap(None, PAGE, READ_EXEC, PRIVATE, fd, 0) == ctypes.c_void_p(-1).value:
        sys.exit("mmap: " + os.strerror(ctypes.get_errno()))
    os.close(fd)


def main():
    for i in range(COUNT):
        map_file("%s/%d-%d" % (DIRECTORY, os.getpid(), i))
    print(json.dumps({"mapped": COUNT}), flush=True)
    while True:
        sum(range(10000))


main()
