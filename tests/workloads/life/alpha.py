# SPDX-License-Identifier: GPL-2.0-only
from time import thread_time


def alpha(end):
    while thread_time() < end:
        sum(range(100))


alpha(thread_time() + 0.02)
