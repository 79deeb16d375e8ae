# SPDX-License-Identifier: GPL-2.0-only
"""interruptible.py PROGRAM ARGUMENT...: with SIGINT as usual, which is ignored in a shell's background."""
import os
import signal
import sys

signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
