# SPDX-License-Identifier: GPL-2.0-only
"""Each kind of event of bpf/events.def has its sample types, books and metrics,
and a row of docs/events.md."""
import re

import pytest

import interpreters as known
import profiler
from serving import server


@pytest.fixture(scope="module")
def seen(tmp_path_factory, workloads):
    """A server's profile, metrics and statistics with all kinds, of a program that runs and waits."""
    with profiler.target(known.usual().path, workloads / "waits.py", "greedy") as target:
        with server(tmp_path_factory.mktemp("events"), "--pid", target.pid, "--event",
                    ",".join(event.key for event in profiler.EVENTS if event.asked)) as s:
            profile, metrics = s.profile("seconds=1"), s.metrics()
            s.end()
    return profile, metrics, s.run.stats


def test_sample_types(seen):
    profile, _, _ = seen
    expected = []
    for event in profiler.EVENTS:
        expected += [(event.type, event.unit)] + [(event.period, "nanoseconds")] * bool(event.period)
    assert [tuple(one) for one in profile.sample_types] == expected
    assert profile.total > 0


@pytest.mark.parametrize("event", profiler.EVENTS, ids=lambda event: event.key)
def test_books(seen, event):
    """Those outcomes and no others, which add up to the total: in the statistics and, but for what happens at
    this very moment, in the metrics."""
    _, metrics, stats = seen
    own = {row.key: row.place.lower() for row in profiler.OUTCOMES if row.group in event.books}
    counted = stats[event.prefix + "outcomes"]
    assert set(counted) == set(own)
    assert sum(counted.values()) == stats["counters"][event.total]
    # Its time passes. It need not grow, or have tasks: test_memory.py and test_tasks_event.py have that.
    assert sum(counted.values()) or not event.wall
    name = "pyperf_%soutcomes_total" % event.prefix
    family = {dict(labels)["outcome"]: (dict(labels)["place"], value)
              for (metric, labels), value in metrics.items() if metric == name}
    assert {key: place for key, (place, _) in family.items()} == own
    total = metrics["pyperf_%s_total" % event.total, ()]
    assert sum(value for _, value in family.values()) == pytest.approx(total, abs=0.05 * total + 8)


@pytest.mark.parametrize("event", profiler.EVENTS, ids=lambda event: event.key)
def test_page(event):
    text = (profiler.ROOT / "docs" / "events.md").read_text()
    row = re.search(r"^\| `%s` \|.*" % event.key, text, re.M).group()
    for name in ("%s/%s" % (event.type, event.unit), event.total, event.prefix + "outcomes", event.series):
        assert "`%s`" % name in row
