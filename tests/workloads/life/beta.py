# SPDX-License-Identifier: GPL-2.0-only
from functools import partial
from time import CLOCK_THREAD_CPUTIME_ID, clock_gettime

thread_time = partial(clock_gettime, CLOCK_THREAD_CPUTIME_ID)  # before 3.7 there is none


def beta(end):
    while thread_time() < end:
        sum(range(100))


beta(thread_time() + 0.02)
