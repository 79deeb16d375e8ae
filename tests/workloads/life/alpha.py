# SPDX-License-Identifier: GPL-2.0-only
from functools import partial
from time import CLOCK_THREAD_CPUTIME_ID, clock_gettime

thread_time = partial(clock_gettime, CLOCK_THREAD_CPUTIME_ID)  # before 3.7 there is none


def alpha(end):
    while thread_time() < end:
        sum(range(100))


alpha(thread_time() + 0.02)
