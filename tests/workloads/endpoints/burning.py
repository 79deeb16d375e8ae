# SPDX-License-Identifier: GPL-2.0-only
"""What the handlers of these applications do: a millisecond of CPU time each, in a function that only one of
them calls. So a stack says whose request it is, whatever the frameworks do."""
import time


def burn():
    end = time.thread_time() + 0.001
    while time.thread_time() < end:
        pass
