# SPDX-License-Identifier: GPL-2.0-only
"""Runs programs one after the other, all with the same pid. Usage: same_pid.py ROUNDS, the commands as a line
of JSON on stdin. Prints the pid first and, at the end, how often it was used."""
import ctypes
import errno
import json
import os
import struct
import sys
import time

CLONE3 = 435
SIGCHLD = 17
libc = ctypes.CDLL(None, use_errno=True)


def fork_as(pid):
    """fork(), but the child's pid is given. None if somebody has it."""
    wanted = ctypes.c_int(pid)
    fields = [0, 0, 0, 0, SIGCHLD, 0, 0, 0, ctypes.addressof(wanted), 1, 0]
    arguments = ctypes.create_string_buffer(struct.pack("<11Q", *fields))
    got = libc.syscall(CLONE3, arguments, 88)
    if got < 0 and ctypes.get_errno() != errno.EEXIST:
        raise OSError(ctypes.get_errno(), "clone3")
    return None if got < 0 else got


def run_as(pid, command):
    end = time.monotonic() + 20
    child = fork_as(pid)
    while child is None:
        if time.monotonic() > end:
            sys.exit("pid %d is taken" % pid)
        time.sleep(0.001)
        child = fork_as(pid)
    if not child:
        try:
            os.execv(command[0], command)
        finally:
            os._exit(127)
    if os.waitpid(child, 0)[1]:
        sys.exit("%s failed" % command)


def main():
    rounds, commands = int(sys.argv[1]), json.loads(sys.stdin.readline())
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
    print(json.dumps({"pid": pid}), flush=True)
    for i in range(rounds):
        run_as(pid, commands[i % len(commands)])
    print(json.dumps(rounds), flush=True)


if __name__ == "__main__":
    main()
