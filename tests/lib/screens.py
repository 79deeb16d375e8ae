# SPDX-License-Identifier: GPL-2.0-only
"""A pseudo-terminal of 80 columns and 24 lines, on which `pyperf-bpf top` runs."""
import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import termios

import home
import profiler

COLUMNS, LINES = 80, 24


class Screen:
    """What is on the terminal: the last page that was drawn whole."""

    def __init__(self, *arguments, command=(profiler.BINARY,)):
        """command: the profiler, or one that runs it."""
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.execvp(command[0], [*command, "top", *map(str, arguments)])
        self.command = [*command, "top", *map(str, arguments)]
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.bytes = b""

    def read(self):
        with contextlib.suppress(OSError):  # EIO: it has ended
            while select.select([self.fd], [], [], 0.05)[0]:
                self.bytes += os.read(self.fd, 65536)

    def page(self):
        self.read()
        drawn = self.bytes.split(b"\033[H")
        page = drawn[-1] if drawn[-1].endswith(b"\033[J") else drawn[-2] if len(drawn) > 1 else b""
        return re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", page.decode()).replace("\r", "").split("\n")

    def wait(self, condition, what):
        def is_so():
            page = self.page()
            home.skip_if_refused(self.command, self.bytes.decode(errors="replace"))
            return condition(page)
        profiler.wait_until(is_so, what=what)
        return self.page()

    def press(self, keys):
        os.write(self.fd, keys.encode())

    def end(self):
        status = []

        def ended():
            self.read()
            pid, value = os.waitpid(self.pid, os.WNOHANG)
            status.extend([value] * bool(pid))
            return pid
        profiler.wait_until(ended, what="end")
        self.read()
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status[0])
