# SPDX-License-Identifier: GPL-2.0-only
"""What `go tool pprof` says of a profile, as rows: the judge of `pyperf-bpf report` and `pyperf-bpf diff`."""
import re

import go_pprof
import profiler

needs_go = go_pprof.needed
ALL = "-nodecount=1000000", "-nodefraction=0", "-edgefraction=0", "-trim=false", "-symbolize=none"
UNITS = {"nanoseconds": "ns", "bytes": "B"}
NUMBER = r"(-?[\d.]+)(?:ns|B)?"


go = go_pprof.read


def top(path, event, unit, *more, granularity="-filefunctions"):
    """{"NAME FILE": (flat, cum)} of all rows; numbers as they are in the file."""
    text = go("-top", *ALL, granularity, "-sample_index=" + event, "-unit=" + UNITS.get(unit, unit), *more,
              path)
    found = {}
    for line in text.split("flat%", 1)[1].splitlines()[1:]:
        row = re.match(r"\s*%s\s+\S+%%\s+\S+%%\s+%s\s+\S+%%\s+(.*)" % (NUMBER, NUMBER), line)
        assert row, line
        name = re.sub(r" \((partial-)?inline\)$", "", row[3]).strip()
        flat, cum = found.get(name, (0, 0))
        found[name] = flat + int(float(row[1])), cum + int(float(row[2]))
    return found


def report(*arguments, code=0):
    return profiler.command("report", *arguments, code=code).stdout


def named(rows, *, line=False):
    """Rows of the JSON as top() names them."""
    found = {}
    for row in rows:
        place = row.get("file", "") + (":%d" % row["line"] if line and "line" in row else "")
        name = " ".join(filter(None, (row["name"], place)))
        assert name not in found, "two functions of one name in one file: the judge takes them for one"
        found[name] = row["self"], row["total"]
    return found
