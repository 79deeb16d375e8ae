# SPDX-License-Identifier: GPL-2.0-only
"""Takes a while to import: see states.py."""
N = 0
for i in range(100000):
    N += i
