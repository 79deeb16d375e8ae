# SPDX-License-Identifier: GPL-2.0-only
"""`make soak`: its judge finds what grows and nothing else, and it runs."""
import math
import pathlib
import random
import re
import subprocess
import sys

import pytest

SOAK = pathlib.Path(__file__).resolve().parents[1] / "soak"
sys.path.insert(0, str(SOAK))
import judge  # noqa: E402
import soak  # noqa: E402

STEADY = {"rss_bytes": 40e6, "heap_bytes": 5e6, "helper_bytes": 7e6, "descriptors": 48,
          "helper_descriptors": 11, "children": 2, "bpf_objects": 17, "table_ended": 2,
          "processes_known": 200, "code_objects": 400, "native_files": 800, "native_regions": 700,
          "native_positions": 700e6, "native_name_bytes": 20e6, "intervals_kept": 90,
          "intervals_kept_bytes": 20e6, "files": 12, "turn_ms": 4}
# Half a per cent of these is noise; the others stand still.
NOISY = "rss_bytes", "heap_bytes", "helper_bytes", "turn_ms"


def made(hours=1, **changes):
    """Rows of a run in which a column is changes[column](its value, part of the run that is over)."""
    noise, number = random.Random(1), int(hours * 720)
    rows = []
    for n in range(number):
        row = {column: value * (noise.gauss(1, 0.005) if column in NOISY else 1)
               for column, value in STEADY.items()}
        for column, change in changes.items():
            row[column] = change(row[column], n / number)
        rows.append({"seconds": 5 * n, "receiver_up": 1, "pushed": n, "generations": 0, **row})
    return rows


def test_a_steady_run_is_accepted():
    assert set(STEADY) == set(judge.BOUNDS)
    assert not list(judge.growing(made()))


def test_enough_is_a_number_of_waves():
    def saw(waves):
        return made(native_name_bytes=lambda value, part: value * (1 + waves * part % 1 * 4))

    assert judge.enough(saw(20))
    assert not judge.enough(saw(4)) and not judge.enough(made())
    assert not list(judge.growing(saw(20)))


def test_growth_before_the_warm_up_is_over_is_none():
    assert not list(judge.growing(made(rss_bytes=lambda value, part: value * min(1, 0.2 + 4 * part))))


def test_the_page_is_full_before_the_warm_up_is_over():
    """What it keeps grows until then, which is no leak."""
    history = (SOAK.parents[1] / "user/http/history.h").read_text()
    most = int(re.search(r"#define HISTORY_MAX\s+(\d+)", history)[1])
    assert most * soak.INTERVAL < judge.WARM_UP * soak.LEAST_HOURS * 3600


def test_peaks_and_waves_are_no_growth():
    rows = made(heap_bytes=lambda value, part: value * (3 if int(100 * part) % 7 == 0 else 1),
                code_objects=lambda value, part: value * (1 + math.sin(300 * part)))
    assert not list(judge.growing(rows))


@pytest.mark.parametrize("column", STEADY)
def test_growth_is_found(column):
    """A leak of what would be too much after a day at the latest."""
    least = {"rss_bytes": 2e6, "heap_bytes": 2e6, "helper_bytes": 1e6, "descriptors": 3, "files": 3,
             "helper_descriptors": 2, "children": 2, "bpf_objects": 2, "table_ended": 40,
             "processes_known": 400, "code_objects": 800, "native_files": 1000, "native_regions": 1000,
             "native_positions": 900e6, "native_name_bytes": 40e6, "intervals_kept": 20,
             "intervals_kept_bytes": 12e6, "turn_ms": 60}
    rows = made(**{column: lambda value, part: value + least[column] * part})
    assert [line.partition(":")[0] for line in judge.growing(rows)] == [column]


def test_long_turns_are_found():
    rows = made(turn_ms=lambda value, part: 600 if 0.5 <= part < 0.52 else value)
    assert [line.partition(":")[0] for line in judge.growing(rows)] == ["turn_ms"]
    assert not list(judge.growing(made(turn_ms=lambda value, part: 600 if part == 0.5 else value)))


def test_a_picture_has_each_curve(tmp_path):
    judge.draw(made(), tmp_path / "soak.svg")
    text = (tmp_path / "soak.svg").read_text()
    assert all(bound.title in text for bound in judge.BOUNDS.values())
    assert text.count('class="l"') == 2 * len(judge.BOUNDS)


def test_it_runs(tmp_path):
    """Half a minute says nothing about growth, but all of it is there: rows, picture, books, a receiver that
    goes and comes."""
    done = subprocess.run([sys.executable, SOAK / "soak.py", "0.01", tmp_path / "soak"], capture_output=True,
                          text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "too short" in done.stdout
    rows = judge.read(tmp_path / "soak" / "soak.csv")
    assert {row["receiver_up"] for row in rows} == {0, 1}
    assert all(row["children"] >= 2 and row["bpf_objects"] > 10 for row in rows)
    assert max(row["code_objects"] for row in rows) > 100
    assert (tmp_path / "soak" / "soak.svg").stat().st_size > 1000
