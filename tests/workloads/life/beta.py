# SPDX-License-Identifier: GPL-2.0-only
from time import thread_time


def beta(end):
    while thread_time() < end:
        sum(range(100))


beta(thread_time() + 0.02)
