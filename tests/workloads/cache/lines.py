# SPDX-License-Identifier: GPL-2.0-only
"""What must be fresh in every sample. The lines of one frame that is never left: four that burn the same CPU
time each, under callers that stay. And phases, a function each, that come one after another and burn 20 ms of
CPU time."""
import time

import harness


def clock_until(end):
    while time.thread_time() < end:
        pass


def four_lines(rounds):
    total = 0
    for _ in range(rounds):
        end = time.thread_time() + 0.005
        while time.thread_time() < end: total += 1  # -> - | under main
        end += 0.005
        while time.thread_time() < end: total += 1  # -> - | under lines
        end += 0.005
        while time.thread_time() < end: total += 1  # -> - | under through
        end += 0.005
        while time.thread_time() < end: total += 1  # -> - | under <module>


def through(rounds):
    four_lines(rounds)  # -> four_lines


def lines(rounds):
    through(rounds)  # -> through


def phase_0(): clock_until(time.thread_time() + 0.02)  # -> clock_until
def phase_1(): clock_until(time.thread_time() + 0.02)  # -> clock_until
def phase_2(): clock_until(time.thread_time() + 0.02)  # -> clock_until
def phase_3(): clock_until(time.thread_time() + 0.02)  # -> clock_until
def phase_4(): clock_until(time.thread_time() + 0.02)  # -> clock_until
def phase_5(): clock_until(time.thread_time() + 0.02)  # -> clock_until


def main():
    while True:
        lines(6)  # -> lines
        for _ in range(2):
            phase_0()  # -> phase_0
            phase_1()  # -> phase_1
            phase_2()  # -> phase_2
            phase_3()  # -> phase_3
            phase_4()  # -> phase_4
            phase_5()  # -> phase_5


if __name__ == "__main__":
    harness.ready(__file__)
    main()  # -> main
