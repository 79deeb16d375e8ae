# SPDX-License-Identifier: GPL-2.0-only
"""tests/lib/progress.py: what it says a minute of a run of which the books are known."""
import progress


def notes(*, waits=0, burns=None):
    """Unit tests are over after 100 s; the lanes have 40 and 10 tests, of which so many have run."""
    made = [{"layer": "unit", "began": 1000}, {"layer": "unit", "tests": 2}, {"layer": "unit", "wall": 1},
            {"layer": "unit", "wall": 1}, {"layer": "waits", "began": 1100}, {"layer": "waits", "tests": 40},
            *({"layer": "waits", "wall": 1} for _ in range(waits))]
    if burns is not None:
        made += [{"layer": "burns", "began": 1300}, {"layer": "burns", "tests": 10},
                 *({"layer": "burns", "wall": 1} for _ in range(burns))]
    return made


def test_nothing_has_begun():
    assert progress.line([], 1000) is None


def test_what_runs_and_what_is_left():
    assert progress.line(notes(waits=10), 1150) == \
        "2 min: waits, 10 of 40 tests; then burns, alone; about 6 min to go"  # 0.28 of all
    assert progress.line(notes(waits=40, burns=5), 1400) == \
        "6 min: burns, 5 of 10 tests; then alone; about 3 min to go"


def test_no_estimate_at_the_begin():
    assert progress.line([{"layer": "unit", "began": 1000}], 1000) == \
        "0 min: unit, 0 tests; then waits, burns, alone"


def test_books_that_are_being_written(tmp_path):
    path = tmp_path / "notes"
    assert progress.read(path) == []
    path.write_text('{"layer": "unit", "began": 1}\n{"layer": "un')
    assert progress.read(path) == []
