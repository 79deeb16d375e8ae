# SPDX-License-Identifier: GPL-2.0-only
"""Writes the figures of one run into README.md, docs/performance.md and docs/waiting.md, and the charts into
docs/pictures.

A page says where a figure goes: what stands between <!-- begin: bench NAME --> and <!-- end: bench NAME -->
is made by the function of that name below. So all published figures are of one run of one commit, which the
page names. Only the tables ALONE may be of another run; each says of which.

    publish.py build/bench/figures.json       once more, after the run that wrote them
"""
import json
import pathlib
import re
import subprocess
import sys
import textwrap

from common import ROOT, shown

PAGES = [ROOT / "README.md", ROOT / "docs" / "performance.md", ROOT / "docs" / "waiting.md"]
PICTURES = ROOT / "docs" / "pictures"
BLOCK = re.compile(r"(<!-- begin: bench ([a-z-]+) -->\n).*?(<!-- end: bench \2 -->)", re.S)
OURS = "pyperf-bpf"
BUSY = 0.3  # CPUs kept busy by others, from which on figures are not worth publishing
# Measured and published by themselves, when they are named.
ALONE = {"events", "native-truth", "switches", "cold", "start"}
MODES = "single + off", "block + off", "block + verified"


class Unpublished(Exception):
    """Why these figures are not to be published."""


def git(*arguments):
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit():
    """The commit that was measured: its number and date."""
    if git("status", "--porcelain", "--untracked-files=no"):
        raise Unpublished("there are changes that are not committed, so no commit has these figures")
    return git("log", "-1", "--abbrev=12", "--format=%h of %cs")


def table(head, rows):
    lines = ["| %s |" % " | ".join(map(str, row)) for row in [head, *rows]]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])


def paragraph(text):
    return "\n".join(textwrap.wrap(text, 100, break_on_hyphens=False, break_long_words=False))


def whole(number):
    return "{:,.0f}".format(number)


def nanoseconds(spread):
    return "%s (%s-%s)" % tuple(whole(spread[key]) for key in ("median", "min", "max"))


def depth_of(figures, how, frames):
    return next(row for row in figures["depth"] if row["how"] == how and row["frames"] == frames)


def cost_of(figures, hertz):
    """Our row at this frequency, and the others', the cheapest first."""
    rows = [row for row in figures["peers"]["cost"] if row["Hz"] == hertz]
    rows.sort(key=lambda row: row["µs a sample"])
    mine = next(row for row in rows if row["profiler"] == OURS)
    return mine, [row for row in rows if row is not mine]


def run(figures):
    machine = figures["machine"]
    linux = machine["kernel"].partition("-")[0]
    return paragraph("The figures of this page are of commit %s, all from one run of "
                     "`make bench ARGS=--publish`, on a machine of %d CPUs (%s) with Linux %s."
                     % (figures["commit"], machine["cpus"], machine["cpu"], linux))


def units(figures):
    names = {"read 8": "8 bytes", "read 80": "80 bytes", "read 1024": "1 KiB", "read 4096": "4 KiB"}
    found = figures["units"][0]
    reads = ", ".join("%s %s" % (names.get(name, name), whole(value))
                      for name, value in found.items() if name in names)
    return paragraph("The units of that machine, ns: `bpf_probe_read_user` of %s; an empty run of the "
                     "program %s." % (reads, whole(found["empty run"])))


def depth(figures):
    return table(["frames", "", *MODES, "faster"],
                 [[row["frames"], row["how"], *(nanoseconds(row[mode]) for mode in MODES),
                   "%.1f" % row["faster"]] for row in figures["depth"]])


def floor(figures):
    found, row = figures["units"][0], depth_of(figures, "hot", 13)[MODES[2]]
    parts = 4 * found["read 80"] + found["empty run"]
    return paragraph("What the floor is made of: at 13 frames four reads and the empty run take about %s of "
                     "the %s ns." % (whole(parts), whole(row["median"])))


def throughput(figures):
    rows = [["%s, CPython %s" % (row["workload"], row["python"]), "%.0f" % row["frames"],
             *(whole(round(row["stacks/s, " + how], -3)) for how in ("each once", "each 100 times")),
             "%s of %s" % (whole(row["wrong"]), whole(row["checked"]))] for row in figures["throughput"]]
    return table(["workload", "frames", "each once", "each 100 times", "wrong"], rows)


def cost(figures):
    mine, others = cost_of(figures, 999)
    rows = [[row["profiler"], whole(row["samples"]), "%.2g %%" % row["lost or bad %"],
             shown(row["µs a sample"]), "%.3g" % (row["µs a sample"] / mine["µs a sample"])]
            for row in (mine, *others)]
    rows[0][3] += " (%s of it kernel)" % shown(mine["of it kernel"])
    text = []
    for hertz in 99, 9999:
        mine, others = cost_of(figures, hertz)
        figures_of = mine["µs a sample"], mine["of it kernel"], others[0]["µs a sample"]
        text.append("At %s Hz ours costs %s us (%s of it kernel), the cheapest of the others %s."
                    % (whole(hertz), *map(shown, figures_of)))
    return table(["999 Hz", "samples", "lost or bad", "us a sample", "times ours"], rows) + "\n\n" + \
        paragraph(" ".join(text))


def truth(figures):
    rows = figures["peers"]["truth"]
    depths = [name for name in rows[0] if name[0].isdigit()]
    return table(["profiler", "lost", "impossible stacks", *depths],
                 [[row["profiler"], "%.2g" % row["lost %"], "%.2g" % row["impossible %"],
                   *(row[depth] for depth in depths)] for row in rows])


def slowdown(figures):
    return table(["", "slower, %", "", "our program alone, %"],
                 [[row["profiler"], shown(row["slower %"], 2), row["verdict"],
                   shown(row["our program alone %"], 2)] for row in figures["slowdown"]["rows"]])


def overhead(figures):
    return table(["", "us a round", "times", "bytes of profile a second"],
                 [[row["profiler"], shown(row["µs a round"]), "%.2f" % row["times"],
                   whole(row["bytes a second"])] for row in figures["overhead"]])


def trigger(figures):
    if not figures["trigger"]:
        return "BPF timers could not be had on that machine."
    ticks, slower = figures["trigger"]
    return table(["", "came, %", "heavy, %", "off by", "bursts, %"],
                 [[row["trigger"], shown(row["came %"]), shown(row["heavy %"]), shown(row["off by"], 2),
                   shown(row["bursts %"])] for row in ticks]) + "\n\n" + \
        table(["", "slower, %", "ns"],
              [[row["trigger"], shown(row["slower %"], 2), shown(row["ns"])] for row in slower])


def growth(figures):
    def cell(row, name, form):
        return form % row[name] if name in row else ""

    return table(["", "how many", "ns a tick", "whole, %", "resident, MiB", "tables, MiB"],
                 [[row["what"], whole(row["number"]), whole(row["ns a tick"]), cell(row, "whole %", "%.1f"),
                   cell(row, "RSS MiB", "%.1f"), cell(row, "maps MiB", "%.1f")] for row in figures["growth"]])


def share(figures):
    rows = {"ns a tick": ("ns_per_tick", whole), "kernel, % of one core": ("kernel_percent", shown),
            "user, % of one core": ("user_percent", shown), "start, s of CPU": ("once_seconds", shown),
            "resident, MiB": ("rss_mib", whole), "tables, MiB": ("map_mib", whole)}
    return table(["", *(row["interpreter"] for row in figures["share"])],
                 [[name, *(form(row[key]) for row in figures["share"])]
                  for name, (key, form) in rows.items()])


def taken(figures):
    """Tables that may be measured by themselves say of which commit they are, and how quiet it was."""
    busy = figures["busy"]
    return paragraph("Of commit %s.%s" % (
        figures["commit"],
        " **The machine was busy: other programs had %.1f of %d CPUs. Only ratios mean something.**"
        % (busy, figures["machine"]["cpus"]) if busy > BUSY else ""))


def events(figures):
    keys = "slower %", "lost %", "wrong %", "µs an event", "% of a CPU"
    return taken(figures) + "\n\n" + table(
        ["kind", "", "slower, %", "lost, %", "wrong, %", "us an event", "% of a CPU"],
        [[row["kind"], row["profiler"], *(shown(row[key], 2) for key in keys)] for row in figures["events"]])


def native_truth(figures):
    keys = "wrong %", "missing %", "told %"
    return taken(figures) + "\n\n" + table(
        ["program", "", "samples", "wrong, %", "missing, %", "said to be missing, %"],
        [[row["program"], row["profiler"], whole(row["samples"]), *(shown(row[key], 2) for key in keys)]
         for row in figures["native-truth"]])


def switches(figures):
    return taken(figures) + "\n\n" + table(
        ["", "alone, ns", "with two empty programs, % more", "with `--event offcpu`, % more"],
        [[row["program"], whole(row["ns"]), shown(row["empty %"], 2), shown(row["ours %"], 2)]
         for row in figures["switches"]])


def least_and_most(rows, key):
    medians = [row[key]["median"] for row in rows]
    return "%.1f to %.1f" % (min(medians), max(medians))


def cold(figures):
    return taken(figures) + "\n\n" + table(
        ["us a tick at 99 Hz", "CPU", "first 5 s", "later", "empty program"],
        [[row["interpreter"], row["CPU"], shown(row["first"]), shown(row["later"]),
          shown(row["empty"] / 1000, 2)] for row in figures["cold"]["ticks"]]) + "\n\n" + table(
        ["us a sample in all at 99 Hz", "all", "of it in the kernel's program"],
        [[row["profiler"], shown(row["us a sample"]), shown(row["of it kernel"])]
         for row in figures["cold"]["beside"]])


def start(figures):
    keys = [key for key in figures["start"][0] if key != "interpreter"]
    return taken(figures) + "\n\n" + table(
        ["s", *keys],
        [[row["interpreter"], *(shown(row[key], 2) for key in keys)] for row in figures["start"]])


def readme_cold(figures):
    rows = figures["cold"]["ticks"]
    most = max(row["later"]["median"] for row in rows) * 99 / 1e6
    return paragraph(
        "At the default rate of 99 Hz a tick takes %s us of its CPU, and %s in the first five seconds%s "
        "([each version](docs/performance.md#a-tick-at-the-default-rate)): between two ticks the "
        "processor's caches forget the sampler. That is at most %.2f %% of a CPU."
        % (least_and_most(rows, "later"), least_and_most(rows, "first"),
           ", measured while other programs kept the machine busy" if figures["busy"] > BUSY else "",
           100 * most))


def readme_cost(figures):
    mine, others = cost_of(figures, 999)
    least, most = (others[i]["µs a sample"] for i in (0, -1))
    text = "Whole cost of a sample: pyperf-bpf %s us, the others %s to %s"
    return "![%s](docs/pictures/bench-cost.svg)" % (
        text % (shown(mine["µs a sample"], 2), shown(least, 2), shown(most)))


def readme_depth(figures):
    depths = 10, 31, 100, 900
    rows = [["kernel time for one stack, sampled at 5 kHz, us", MODES[2]],
            ["with a read for each frame and no cache (`--reads single --cache off`)", MODES[0]]]
    return table(["frames", *depths],
                 [[text, *(shown(depth_of(figures, "sampled", d)[mode]["median"] / 1000, 2) for d in depths)]
                  for text, mode in rows])


def readme_rest(figures):
    slower = {row["profiler"]: row for row in figures["slowdown"]["rows"]}

    def said(name):
        row = slower[name]
        return "%s %% at %s%s" % (shown(row["slower %"]["median"], 2), name,
                                  ", which is not measurable" if row["verdict"] == "not measurable" else "")
    empty = next(row for name, row in slower.items() if "empty" in name)
    resident, tables = (whole(max(row[key] for row in figures["share"])) for key in ("rss_mib", "map_mib"))
    return paragraph(
        "A target lost %s, and %s. With a program that does nothing in our place it lost %s %% at 999 Hz: "
        "that is the timer interrupt. The profiler has %s MiB resident and %s MiB of tables, however much is "
        "watched. [docs/performance.md](docs/performance.md) has all tables and names the commit that was "
        "measured."
        % (said("99 Hz"), said("999 Hz"), shown(empty["slower %"]["median"], 2), resident, tables))


BLOCKS = {"run": run, "units": units, "depth": depth, "floor": floor, "throughput": throughput,
          "cost": cost, "truth": truth, "slowdown": slowdown, "overhead": overhead, "trigger": trigger,
          "growth": growth, "share": share, "events": events, "native-truth": native_truth,
          "switches": switches, "cold": cold, "start": start, "readme-cold": readme_cold,
          "readme-cost": readme_cost, "readme-depth": readme_depth, "readme-rest": readme_rest}


def fill(text, figures):
    """The page with its blocks made anew; KeyError for one that is not known. Figures of tables that were
    measured by themselves fill only their own blocks."""
    few = ALONE & set(figures) if "depth" not in figures else None

    def block(found):
        if few is not None and found[2].replace("readme-", "") not in few:
            return found[0]
        return found[1] + BLOCKS[found[2]](figures) + "\n" + found[3]

    return BLOCK.sub(block, text)


def publish(figures, charts):
    pages = {page: fill(page.read_text(), figures) for page in PAGES}
    for page, text in pages.items():
        page.write_text(text)
    for chart in charts:
        (PICTURES / chart.name).write_text(chart.read_text())
    print("published: the figures of commit %s" % figures["commit"])


if __name__ == "__main__":
    path = pathlib.Path(sys.argv[1])
    publish(json.loads(path.read_text()), sorted(path.parent.glob("bench-*.svg")))
