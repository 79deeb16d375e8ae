# SPDX-License-Identifier: GPL-2.0-only
"""Table 7: the share of a core at 99 Hz, where ticks are so far apart that the caches have forgotten us."""
import cost
from common import Skip, Table, interpreters


def share(settings, save):
    table = Table("7. Share of a core at 99 Hz, %d busy processes on all CPUs" % cost.THREADS,
                  "What each second costs; what start and end cost once is told apart (tests/bench/cost.py).")
    seconds = max(cost.SHORT + 1, settings.seconds(30))
    for python in interpreters.one_per_version():
        if python.version < (3, 11):
            continue
        try:
            table.add(**cost.measure(python, seconds, 99, ()))
        except (Skip, RuntimeError) as e:
            table.skip(python.name, e)
    return [table], table.rows
