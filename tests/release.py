# SPDX-License-Identifier: GPL-2.0-only
"""Runs what CI does not, one suite after the other, and makes a table of what came of it.

    release.py FOLDER [LIST]    LIST: the suites, a name, hours and a command a line; default:
                                release-suites.txt

A suite that fails does not keep the next ones from running, nor does one that hangs: after so many hours its
process group is interrupted, what is left of it after GRACE seconds is killed, and it has failed. FOLDER has
NAME.log, what each said; NAME.json, what came of it; and the table as table.txt and table.md. A suite says "N
passed, M failed, K skipped" on a line of its own, or on several, which are added up. One of which nothing
passed has failed.

ONLY=NAME,NAME runs these alone. The table has the other suites as they last ran, with the commit of then, so
a release can be tried piece by piece. It is complete when every suite has passed on this commit, or on one
that differs from it in documents alone. PUBLISH=PAGE puts it between the marks of that page. Exits 1 when a
suite that was run has failed.
"""
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time

HERE = pathlib.Path(__file__).resolve().parent
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", re.M)
MARKS = re.compile(r"(<!-- begin: release -->\n).*?(<!-- end: release -->)", re.S)
DOCUMENTS = ":(exclude)docs", ":(exclude)*.md"
SKIP = re.compile(r"^\s*(SKIP .*?)(?: \(\d+\))?$", re.M)  # how many it was is in the sum
FAILURE = re.compile(r"^\s*((?:FAIL|FAILED|ERROR)\b.*)$", re.M)
LINES, WIDTH = 20, 200  # of failures and of reasons that the table has for each suite
GRACE = float(os.environ.get("GRACE", 60))  # seconds in which a suite that hangs may put away what it made
TITLES = "suite", "commit", "result", "passed", "failed", "skipped", "time"


def read_suites(path):
    """{name: (hours, command)} in the order of the file."""
    lines = (line.strip() for line in path.read_text().splitlines())
    rows = (line.split(None, 2) for line in lines if line and not line.startswith("#"))
    return {name: (float(hours), command) for name, hours, command in rows}


def chosen(suites):
    only = [name for name in os.environ.get("ONLY", "").split(",") if name]
    for name in only:
        if name not in suites:
            sys.exit("ONLY: no suite is called %s; there are %s" % (name, " ".join(suites)))
    return [name for name in suites if not only or name in only]


def commit():
    """Of the project, marked when the files are not those of the commit. A bare machine has no git."""
    if not shutil.which("git"):
        return "unknown"
    told = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude=*"], cwd=HERE,
                          capture_output=True, text=True)
    return told.stdout.strip() or "unknown"


def is_of_this(then, now):
    """Whether what was tried then is what is here now, but for documents."""
    if "-dirty" in then + now or "unknown" in (then, now):
        return False
    return not subprocess.run(["git", "diff", "--quiet", then, now, "--", ".", *DOCUMENTS], cwd=HERE.parent,
                              stderr=subprocess.DEVNULL).returncode


def environment():
    """Without a jobserver, which make does not hand to programs that are not make: each suite has its own."""
    flags = [flag for flag in os.environ.get("MAKEFLAGS", "").split() if not re.match("-j|--jobserver", flag)]
    return {**os.environ, "MAKEFLAGS": " ".join(flags)}


def distinct(pattern, text):
    return [line[:WIDTH] for line in dict.fromkeys(found.strip() for found in pattern.findall(text))]


def result_of(code, log, hours):
    """What is to be said of a suite that ended with this exit code, None for one that had to be ended after
    so many hours, and wrote this."""
    passed, failed, skipped = (sum(map(int, numbers)) for numbers in zip(*COUNTS.findall(log) or [(0, 0, 0)]))
    why = ("no end within %g h" % hours if code is None else
           "%d failed" % failed if failed else "exit code %d" % code if code else
           "nothing passed" if not passed else None)
    return {"ok": not why, "result": "FAILED: " + why if why else "ok",
            "passed": passed, "failed": failed, "skipped": skipped,
            "failures": distinct(FAILURE, log) if why else [], "skips": distinct(SKIP, log)}


def signal_all(suite, number):
    """To all of its group. False when there is nobody any more."""
    suite.poll()
    try:
        os.killpg(suite.pid, number)
    except ProcessLookupError:
        return False
    return True


def end(suite):
    """It is interrupted, so that its tests put away what they made; what is left of it is killed."""
    until = time.monotonic() + GRACE
    there = signal_all(suite, signal.SIGINT)
    while there and time.monotonic() < until:
        time.sleep(0.1)
        there = signal_all(suite, 0)
    signal_all(suite, signal.SIGKILL)
    suite.wait()


def run_within(command, hours, out):
    """Its exit code, None when it had not ended. All of it has ended in any case."""
    suite = subprocess.Popen(command, shell=True, stdin=subprocess.DEVNULL, stdout=out, env=environment(),
                             stderr=subprocess.STDOUT, cwd=HERE.parent, start_new_session=True)
    try:
        return suite.wait(hours * 3600)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if suite.returncode is None:
            end(suite)


def run(name, hours, command, folder):
    log = folder / (name + ".log")
    (folder / (name + ".json")).unlink(missing_ok=True)
    print("%s: %s, log in %s" % (name, command, log), flush=True)
    at, began = commit(), time.monotonic()
    with open(log, "wb") as out:
        code = run_within(command, hours, out)
    result = result_of(code, log.read_text(errors="replace"), hours)
    result.update(suite=name, commit=at, seconds=round(time.monotonic() - began))
    (folder / (name + ".json")).write_text(json.dumps(result, indent=1) + "\n")
    print("%s: %s\n" % (name, result["result"]), flush=True)
    return result["ok"]


def rows(suites, folder):
    """What is known of each suite; None of one that was never run."""
    for name in suites:
        path = folder / (name + ".json")
        yield name, json.loads(path.read_text()) if path.exists() else None


def cells(name, row):
    if not row:
        return (name, "", "not run", "", "", "", "")
    return (name, row["commit"], row["result"], *(str(row[key]) for key in TITLES[3:6]),
            str(datetime.timedelta(seconds=row["seconds"])))


def verdict(known):
    """Whether this is the table of a release, in one sentence."""
    now = commit()
    why = ["%s was not run" % name if not row else
           "%s failed" % name if not row["ok"] else "%s ran on %s" % (name, row["commit"])
           for name, row in known if not row or not row["ok"] or not is_of_this(row["commit"], now)]
    if why:
        return "Not complete for %s: %s." % (now, ", ".join(why))
    return "Complete: every suite passed on %s, or on a commit that differs from it in documents alone." % now


def notes(known):
    """(suite, lines) of each that failed or skipped something."""
    for name, row in known:
        lines = row["failures"] + row["skips"] if row else []
        more = ["and %d more" % (len(lines) - LINES)] if len(lines) > LINES else []
        if lines:
            yield name, lines[:LINES] + more


def as_text(known):
    table = [TITLES, *(cells(*one) for one in known)]
    widths = [max(map(len, column)) for column in zip(*table)]
    for row in table:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
    yield "\n" + verdict(known)
    for name, lines in notes(known):
        yield "\n%s:" % name
        yield from ("  " + line for line in lines)


def as_markdown(known):
    for row in (TITLES, ("---",) * 3 + ("--:",) * 4, *(cells(*one) for one in known)):
        yield "| %s |" % " | ".join(row)
    yield "\n" + "\n".join(textwrap.wrap(verdict(known), 100, break_on_hyphens=False))
    for name, lines in notes(known):
        yield "\n%s:" % name
        yield from ("- `%s`" % line.replace("`", "'") for line in lines)


def write_tables(suites, folder):
    known = list(rows(suites, folder))
    for name, lines in ("table.txt", as_text(known)), ("table.md", as_markdown(known)):
        (folder / name).write_text("\n".join(lines) + "\n")
    if page := os.environ.get("PUBLISH"):
        made = "\n%s\n" % (folder / "table.md").read_text()
        page = HERE.parent / page
        page.write_text(MARKS.sub(lambda found: found[1] + made + found[2], page.read_text()))


def main(folder, path=HERE / "release-suites.txt"):
    folder, suites = pathlib.Path(folder), read_suites(pathlib.Path(path))
    names = chosen(suites)
    folder.mkdir(parents=True, exist_ok=True)
    failed = []
    try:
        for name in names:
            if not run(name, *suites[name], folder):
                failed.append(name)
            write_tables(suites, folder)  # after each, since the last ones take hours
    except KeyboardInterrupt:
        failed.append("interrupted")
    write_tables(suites, folder)
    print((folder / "table.txt").read_text(), end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
