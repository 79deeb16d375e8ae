# SPDX-License-Identifier: GPL-2.0-only
"""The published figures: every place for them is filled, README's are those of docs/performance.md."""
import pathlib
import re
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/bench"))
import publish  # noqa: E402


def spread(median):
    return {"min": median / 2, "median": median, "max": median * 2, "n": 5}


def depth_row(how, frames):
    return {"how": how, "frames": frames, "faster": 4.0, "single + off": spread(4000.0 * frames),
            "block + off": spread(2000.0 * frames), "block + verified": spread(1000.0 * frames)}


def cost_row(name, hertz, us):
    return {"profiler": name, "Hz": hertz, "samples": 5000, "lost or bad %": 1.5, "µs a sample": us,
            "of it kernel": us / 2}


FIGURES = {
    "commit": "0123456789ab of 2026-12-24",
    "machine": {"cpu": "a processor", "cpus": 3, "kernel": "6.12.1-made",
                "time": "2026-12-24 12:00:00"},
    "units": [{"empty run": 67.0, "turn": 5.0, "read 8": 90.0, "read 80": 91.0, "read 1024": 104.0,
               "read 4096": 131.0}],
    "depth": [depth_row(how, frames) for how in ("hot", "sampled") for frames in (10, 13, 31, 100, 900)],
    "throughput": [{"workload": "basic", "python": "3.13", "frames": 12.0, "stacks/s, each once": 1234567.0,
                    "stacks/s, each 100 times": 2345678.0, "wrong": 0, "checked": 13180}],
    "peers": {"cost": [cost_row(name, hertz, us) for hertz in (99, 999, 9999)
                       for name, us in (("austin", 266.0), ("pyperf-bpf", 4.56), ("py-spy", 208.0))],
              "truth": [{"profiler": "pyperf-bpf", "lost %": 0.0, "impossible %": 0.0, "0": 3.8,
                         "1-5": 96.2}]},
    "slowdown": {"rows": [{"profiler": name, "slower %": spread(0.77), "our program alone %": 0.1,
                           "verdict": verdict}
                          for name, verdict in (("99 Hz", "not measurable"), ("999 Hz", "at most 1.5 %"),
                                                ("999 Hz, empty program", "at most 1.5 %"))]},
    "overhead": [{"profiler": "nothing", "µs a round": spread(302.0), "times": 1.0, "bytes a second": 0.0}],
    "growth": [{"what": "stacks", "number": 1000000, "ns a tick": 3115.0, "whole %": 2.84}],
    "share": [{"interpreter": "pbs-3.13.1", "ns_per_tick": 9800.0, "kernel_percent": 0.3,
               "user_percent": 0.06, "once_seconds": 0.12, "rss_mib": 22.4, "map_mib": 32.9}],
    "trigger": [],
    "busy": 1.5,
    "events": [{"kind": "cpu", "profiler": "pyperf-bpf", "slower %": 1.0, "lost %": 0.0, "wrong %": 0.5,
                "µs an event": 2.7, "% of a CPU": 0.3}],
    "native-truth": [{"program": "chains", "profiler": "pyperf-bpf", "samples": 5000, "wrong %": 0.0,
                      "missing %": 0.0, "told %": 0.5}],
    "cold": {"ticks": [{"interpreter": "pbs-3.13.1", "CPU": cpu, "first": spread(first),
                        "later": spread(later), "empty": 61.5}
                       for cpu, first, later in (("its own", 9.87, 6.54), ("shared by 4", 12.3, 8.76))],
             "beside": [{"profiler": "py-spy", "us a sample": spread(214.0), "of it kernel": spread(0.0)}]},
    "start": [{"interpreter": "pbs-3.13.1", "--pid, first sample": spread(0.41),
               "py-spy, all but the second": spread(1.02)}],
    "switches": [{"program": "C", "ns": 2100.0, "empty %": 5.0, "ours %": 7.5}],
}


def test_every_place_is_known_and_every_figure_has_one():
    found = [name for page in publish.PAGES for _, name, _ in publish.BLOCK.findall(page.read_text())]
    assert sorted(found) == sorted(publish.BLOCKS)


@pytest.mark.parametrize("page", publish.PAGES, ids=lambda page: page.stem)
def test_a_page_is_filled(page):
    text = publish.fill(page.read_text(), FIGURES)
    assert publish.fill(text, FIGURES) == text
    outside = publish.BLOCK.sub("", page.read_text())
    assert publish.BLOCK.sub("", text) == outside
    figures = "\n".join(found[0] for found in publish.BLOCK.finditer(text))
    plain = [line for line in figures.splitlines() if not line.startswith(("|", "<", "!"))]
    assert plain and max(map(len, plain)) <= 100
    columns = [line.count("|") for line in figures.splitlines() if line.startswith("|")]
    assert columns and all(columns)


def test_what_is_said():
    pages = (publish.fill(page.read_text(), FIGURES) for page in publish.PAGES)
    readme, performance, waiting = (" ".join(page.split()) for page in pages)
    assert "of commit 0123456789ab of 2026-12-24" in performance
    assert "a machine of 3 CPUs (a processor) with Linux 6.12.1." in performance
    assert "pyperf-bpf 4.6 us, the others 208 to 266" in readme
    assert re.search(r"\| pyperf-bpf \| 5,000 \| 1.5 % \| 4.56 \(2.28 of it kernel\) \| 1 \|", performance)
    assert "At the default rate of 99 Hz a tick takes 6.5 to 8.8 us of its CPU, and 9.9 to 12.3 in" in readme
    assert "That is at most 0.09 % of a CPU." in readme
    assert "| pbs-3.13.1 | shared by 4 | 12.3 (6.15-24.6) | 8.76 (4.38-17.5) | 0.061 |" in performance
    assert "| py-spy | 214 (107-428) | 0 (0-0) |" in performance
    assert "lost 0.77 % at 99 Hz, which is not measurable, and 0.77 % at 999 Hz. With" in readme
    assert "four reads and the empty run take about 431 of the 13,000 ns" in performance
    assert "BPF timers could not be had" in performance
    assert "| C | 2,100 | 5.0 | 7.5 |" in waiting
    assert "| stacks | 1,000,000 | 3,115 | 2.8 |" in performance


def test_both_pages_say_the_same_of_a_cold_tick():
    """What stands in them now, by whichever run: README has the least and the most of the first table."""
    pages = {page.name: {found[2]: found[0] for found in publish.BLOCK.finditer(page.read_text())}
             for page in publish.PAGES}
    rows = [[cell.strip().split(" ")[0] for cell in line.split("|")[1:-1]]
            for line in pages["performance.md"]["cold"].splitlines() if line.startswith(("| pyenv", "| pbs"))]
    assert len(rows) >= 2
    said = re.findall(r"([0-9.]+) to ([0-9.]+)", " ".join(pages["README.md"]["readme-cold"].split()))
    later, first = ([float(row[column]) for row in rows] for column in (3, 2))
    assert [tuple(map(float, pair)) for pair in said] == [
        pytest.approx((min(column), max(column)), abs=0.06) for column in (later, first)]


def outside_rows(page):
    """{(depth, rate, profiler): cells} of the page's table of what looks from outside cost, lost and got
    wrong. A cell that is empty is that of the row above."""
    lines = (TOP / "docs" / page).read_text().split("| depth | rate | | us a look | lost | wrong |\n")[1]
    rows, above = {}, ["", ""]
    for line in lines.splitlines()[1:]:
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        above = [new or old for new, old in zip(cells, above)]
        rows[(*above, cells[2])] = cells[3:]
    return rows


def test_pages_say_the_same_of_looks_from_outside():
    measured, compared = outside_rows("internals/outside.md"), outside_rows("comparison.md")
    assert len(compared) >= 16 and compared.items() <= measured.items()
    text = (TOP / "docs/performance.md").read_text()
    found = re.findall(r"^\| (\d+) \| (99+ Hz) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", text, re.M)
    assert len(found) == 4
    for depth, rate, *costs in found:
        assert costs == [measured[depth, rate, name][0] for name in ("pyperf-bpf", "py-spy", "austin")]
    tachyon = [re.findall(r"pyperf-bpf (\d+) us and Tachyon (\d+) us at (\d+) Hz",
                          " ".join((TOP / "docs" / page).read_text().split()))
               for page in ("internals/outside.md", "comparison.md")]
    assert len(tachyon[0]) == 2 and tachyon[0] == tachyon[1]
