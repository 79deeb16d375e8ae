# SPDX-License-Identifier: GPL-2.0-only
"""What a tick touches while the processor's caches have forgotten the sampler stays within its limits.
tests/bench/lines counts it, without the kernel and without a clock, so no noise can break this test.
Whoever touches fewer lines lowers the limits; whoever needs more raises them, and says why in the commit."""
import pathlib
import platform
import sys

import profiler
import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/bench"))
import line_tables  # noqa: E402

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64",
                                reason="SKIP not-applicable: the lengths of code are those of x86-64")
BUILD = pathlib.Path(profiler.BINARY).parent
# Lines of 64 bytes, code and data, of the ticks of tests/bench/lines.c, and some more: compilers differ.
LIMITS = {"the stack of the tick before": 262, "another stack, another process before": 333}


def test_a_tick_touches_no_more_lines_than_it_may():
    ticks = line_tables.count(BUILD)["ticks"]
    assert [tick["tick"] for tick in ticks] == list(LIMITS)
    for tick in ticks:
        parts = line_tables.parts(tick)
        assert parts["lines"] <= LIMITS[tick["tick"]], (tick["tick"], parts)


def test_the_count_is_the_same_each_time():
    assert line_tables.count(BUILD) == line_tables.count(BUILD)


def test_every_source_file_has_a_part():
    for tick in line_tables.count(BUILD)["ticks"]:
        assert line_tables.parts(tick)["code, in all"] == sum(tick["code"].values())
        assert line_tables.parts(tick).get("code: the rest", 0) <= 2, tick["code"]
