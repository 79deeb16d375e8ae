# SPDX-License-Identifier: GPL-2.0-only
"""Signals as a program at a terminal has them."""
import signal


def heed():
    """Whoever starts us in the background may ignore these, and the profiler would go on ignoring them."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL),
                            (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)
