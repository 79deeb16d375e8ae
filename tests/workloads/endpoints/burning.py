# SPDX-License-Identifier: GPL-2.0-only
"""What the handlers of these applications do: so many milliseconds of CPU time, in a function that only one
of them calls. So a stack says whose request it is, whatever the frameworks do."""
import time


def burn(milliseconds=1):
    end = time.thread_time() + milliseconds / 1000
    while time.thread_time() < end:
        pass
