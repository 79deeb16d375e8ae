# SPDX-License-Identifier: GPL-2.0-only
"""`report --json` as text: which functions and lines were hot."""
from __future__ import annotations

import collections
import os
from typing import Any, Callable, Dict, List, Tuple

TextOf = Callable[[str, int], str]  # of a line of a file; "" where it is not known
TEXT_WIDTH = 60
NAME_WIDTH = 34
WAITS_BELOW = 0.2  # of the time that it took
UNITS = {"nanoseconds": (1e9, "%.2f s"), "bytes": (2.0 ** 20, "%.2f MiB"), "count": (1.0, "%d")}
ROWS = 1000  # of which those are chosen that are shown


def amount(value: float, unit: str) -> str:
    scale, form = UNITS.get(unit, (1.0, "%%d %s" % unit))
    return form % (value / scale)


def place(row: Dict[str, Any]) -> str:
    """As people name files: from here on, or the last two parts."""
    file, here = str(row.get("file", "")), os.path.join(os.getcwd(), "")
    short = file[len(here):] if file.startswith(here) else "/".join(file.split("/")[-2:])
    return "%s:%d" % (short, row["line"]) if row.get("line") else short


def cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[:width - 3] + "..."


def cut_left(text: str, width: int) -> str:
    return text if len(text) <= width else "..." + text[3 - width:]


def functions(rows: List[Dict[str, Any]], top: int) -> List[str]:
    """Those of the kernel that only call the cell are none that anybody asked for."""
    kept = [row for row in rows if row["self"] or place(row).startswith("In [")]
    return ["%6.1f%%  %5.1f%%  %-*s %s" % (100 * row["self_share"], 100 * row["total_share"], NAME_WIDTH,
                                          cut(row["name"], NAME_WIDTH), place(row)) for row in kept[:top]]


def lines(rows: List[Dict[str, Any]], text_of: TextOf, top: int) -> List[str]:
    """A line of two functions, as one with a generator in it, is one line."""
    shares: Dict[Tuple[str, int], float] = collections.defaultdict(float)
    places = {}
    for row in rows:
        key = str(row.get("file", "")), int(row.get("line", 0))
        if not key[1]:
            continue  # of threads that have no Python
        shares[key] += row["self_share"]
        places[key] = place(row)
    hottest = sorted((key for key in shares if shares[key]), key=lambda key: -shares[key])[:top]
    return ["%6.1f%%  %-*s %s" % (100 * shares[key], NAME_WIDTH, cut_left(places[key], NAME_WIDTH),
                                  cut(text_of(*key), TEXT_WIDTH)) for key in hottest]


def headline(report: Dict[str, Any], seconds: float) -> str:
    profile = report["profile"]
    return "%s of %s in %.2f s%s" % (amount(profile["total"], profile["unit"]), profile["event"], seconds,
                                     ", %d samples" % profile["samples"] if "samples" in profile else "")


def mostly_waited(report: Dict[str, Any], seconds: float) -> bool:
    profile = report["profile"]
    return profile["event"] == "cpu" and profile["unit"] == "nanoseconds" and \
        bool(profile["total"] / 1e9 < WAITS_BELOW * seconds)


def rows_of(report: Dict[str, Any], by: str) -> List[Dict[str, Any]]:
    return [row for table in report["tables"] if table["by"] == by for row in table["rows"]]


def tables(report: Dict[str, Any], text_of: TextOf, top: int, seconds: float, waited: str) -> str:
    """waited: what is said where it hardly used the CPU."""
    said = [headline(report, seconds), *([waited] if mostly_waited(report, seconds) else [])]
    said += ["", "Hottest functions", "   self   total", *functions(rows_of(report, "function"), top)]
    said += ["", "Hottest lines", *lines(rows_of(report, "line"), text_of, top)]
    said += ["", *("note: %s" % note["text"] for note in report["notes"] if note["code"] == "few_samples")]
    return "\n".join(said).rstrip()
