# SPDX-License-Identifier: GPL-2.0-only
"""Whether what was measured over a long run grows: its figures as CSV, the verdict, the picture.

What native code takes goes up, and down at once when it is given back. So there must be some of these waves
in each third: enough() says whether a run was long enough, and not the time that it took.

The first part of the run is the warm-up. The rest is cut into thirds. The medians of the first and of the
last third are compared, since a median does not care for peaks; what grows without end is larger in the last.
"""
import csv
import dataclasses
import itertools
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import chart  # noqa: E402

WARM_UP = 0.2  # part of the run
WAVES = 2  # in the first and in the last third: so often native code was given back


@dataclasses.dataclass(frozen=True)
class Bound:
    """How much more the last third may have than the first: a share of the first and a fixed amount, in the
    unit of the column. title: of the picture's row; scale: what the picture divides by."""

    title: str
    share: float
    more: float
    scale: float = 1

    def allows(self, first, last):
        return last <= first * (1 + self.share) + self.more


# By column of the CSV. What is 0 most of the time may not become more than that, so that one more of a
# descriptor or of a child in each third is a failure.
BOUNDS = {
    "rss_bytes": Bound("memory of the profiler, MiB", 0.01, 512 << 10, 1 << 20),
    "heap_bytes": Bound("of it not shared with a file or the kernel, MiB", 0.05, 512 << 10, 1 << 20),
    "helper_bytes": Bound("memory of worker, parser and zygote, MiB", 0.02, 256 << 10, 1 << 20),
    "descriptors": Bound("descriptors of the profiler", 0, 1),
    "helper_descriptors": Bound("descriptors of worker, parser and zygote", 0, 0),
    "children": Bound("processes that it has started", 0, 0),
    "bpf_objects": Bound("BPF programs and maps that it holds", 0, 0),
    "table_ended": Bound("entries in the kernel's table of processes that have ended", 0, 10),
    "processes_known": Bound("processes held in memory", 0.25, 100),
    "code_objects": Bound("code objects held in memory", 0.25, 200),
    "native_files": Bound("files with code held in memory", 0.25, 50),
    "native_regions": Bound("ranges of memory with code of no file held", 0.25, 50),
    "native_positions": Bound("text space taken, MiB", 0.25, 32 << 20, 1 << 20),
    "native_name_bytes": Bound("names of native functions, MiB", 0.25, 4 << 20, 1 << 20),
    "intervals_kept": Bound("intervals that the page can show", 0.05, 2),
    "intervals_kept_bytes": Bound("memory of these intervals, MiB", 0.1, 2 << 20, 1 << 20),
    "files": Bound("files in the folder", 0, 1),
    "turn_ms": Bound("longest turn of the event loop, ms", 0.5, 20),
}
# Longer turns may be in so many of the rows. The aim is 100 ms, on a machine that has nothing else to do.
LONGEST_TURN_MS, LONGER_SHARE = 500, 0.01


def write_row(file, row):
    writer = csv.DictWriter(file, ["seconds", *BOUNDS, "receiver_up", "pushed", "generations"])
    if not file.tell():
        writer.writeheader()
    writer.writerow(row)
    file.flush()


def read(path):
    """The rows of a CSV as dictionaries of numbers."""
    with open(path) as f:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(f)]


def after_warm_up(rows):
    begin = rows[0]["seconds"] + WARM_UP * (rows[-1]["seconds"] - rows[0]["seconds"])
    return [row for row in rows if row["seconds"] >= begin]


def thirds(rows, column):
    """The values in the first and in the last third."""
    values = [row[column] for row in after_warm_up(rows)]
    third = max(1, len(values) // 3)
    return values[:third], values[-third:]


def medians(rows, column):
    return tuple(map(statistics.median, thirds(rows, column)))


def waves(values):
    return sum(now < before / 2 for before, now in itertools.pairwise(values))


def enough(rows):
    return min(map(waves, thirds(rows, "native_name_bytes"))) >= WAVES


def growing(rows):
    """A line for each column that grows, or that is beyond what may be."""
    for column, bound in BOUNDS.items():
        first, last = medians(rows, column)
        if not bound.allows(first, last):
            yield ("%s: the median of the last third is %g, of the first %g; at most %g %% and %g more is "
                   "allowed" % (column, last, first, 100 * bound.share, bound.more))
    long = [row["turn_ms"] for row in rows if row["turn_ms"] > LONGEST_TURN_MS]
    if len(long) > LONGER_SHARE * len(rows):
        yield "turn_ms: %d rows have a turn of more than %d ms" % (len(long), LONGEST_TURN_MS)


def verdict(rows):
    yield from growing(rows)
    if not enough(rows):
        yield "native code was not given back often enough to say what grows: let it run for longer (HOURS=N)"


def table(rows):
    """Of all columns, as text: first and last third, least and greatest."""
    titles = "after the warm-up", "first third", "last third", "least", "greatest"
    yield "%-20s %14s %14s %14s %14s" % titles
    for column in BOUNDS:
        values = [row[column] for row in after_warm_up(rows)]
        yield "%-20s %14g %14g %14g %14g" % (column, *medians(rows, column), min(values), max(values))


PANEL, GAP, LEFT, RIGHT = 70, 34, 70, 20


def points(rows, column, scale, width=120):
    """(hours, greatest and median) of so many pieces of the time, so that no peak is left out."""
    step = max(1, len(rows) // width)
    for at in range(0, len(rows), step):
        piece = [row[column] / scale for row in rows[at:at + step]]
        yield rows[at]["seconds"] / 3600, max(piece), statistics.median(piece)


def panel(rows, column, bound, top):
    drawn = list(points(rows, column, bound.scale))
    x = chart.Axis([0, drawn[-1][0]], LEFT, chart.WIDTH - RIGHT, False)
    y = chart.Axis([0, *(high for _, high, _ in drawn)], top + PANEL, top, False)
    body = [chart.text(LEFT, top - 8, bound.title)]
    for tick in y.ticks[::max(1, len(y.ticks) // 3)]:
        body += ['<path class="g" d="M%d %.1f H%d"/>' % (LEFT, y(tick), chart.WIDTH - RIGHT),
                 chart.text(LEFT - 8, y(tick) + 4, chart.number(tick), "end")]
    for colour, at in ((chart.COLOURS[6], 1), (chart.COLOURS[0], 2)):
        place = " L".join("%.1f %.1f" % (x(point[0]), y(point[at])) for point in drawn)
        body.append('<path class="l" style="stroke-width:1" stroke="%s" d="M%s"/>' % (colour, place))
    return body


def draw(rows, path):
    """One curve below the other, over the hours: medians, and the greatest behind them."""
    body, top = [], chart.TOP + 8
    for column, bound in BOUNDS.items():
        body += panel(rows, column, bound, top)
        top += PANEL + GAP
    hours = rows[-1]["seconds"] / 3600
    body.append(chart.text(LEFT, top - GAP + 18, "0"))
    body.append(chart.text(chart.WIDTH - RIGHT, top - GAP + 18, "%.2g h" % hours, "end"))
    chart.document(pathlib.Path(path), top, "What the profiler holds while all else changes", body)


if __name__ == "__main__":
    read_rows = read(sys.argv[1])
    draw(read_rows, pathlib.Path(sys.argv[1]).with_suffix(".svg"))
    print("\n".join([*table(read_rows), *growing(read_rows)]))
