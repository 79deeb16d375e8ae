# SPDX-License-Identifier: GPL-2.0-only
"""The table of how long tests took."""
import json

import times


def test_sums_by_layer_and_the_slowest_first(tmp_path):
    took = [("unit", "a", 1, 0, 0.5), ("waits", "b", 9, 1, 2), ("waits", "c", 2, 1, 3)]
    notes = [dict(zip(times.Took._fields, one)) for one in took]
    notes.append({"layer": "unit", "passed": 7, "failed": 0})
    (tmp_path / "notes").write_text("".join(json.dumps(note) + "\n" for note in notes))
    rows = [line.split() for line in times.lines(times.read(tmp_path / "notes"))]
    assert [row for row in rows if row[0][0].isdigit()] == [
        "1.0 0.0 0.5 0.5 unit, 1 tests".split(), "11.0 2.0 5.0 6.0 waits, 2 tests".split(),
        "9.0 1.0 2.0 6.0 waits b".split(), "2.0 1.0 3.0 0.0 waits c".split(),
        "1.0 0.0 0.5 0.5 unit a".split()]
