# SPDX-License-Identifier: GPL-2.0-only
"""The numbers on the page, and those of `pyperf-bpf report` of the profile that it shows."""
import collections
import json

from pprof_rows import report

DRAWN = "document.body.dataset.drawn"
INTERVAL = "/debug/pyperf/interval"
PROGRAM = """
import json, threading, time
def hot(n):
    return sum(i * i for i in range(n))
def deep(n):
    return deep(n - 1) if n else hot(3000)
def encode_rows():
    return json.JSONEncoder(indent=1).encode([[1, 2]] * 300)
def work():
    while True:
        deep(20)
        encode_rows()
        time.sleep(0.004)
threads = [threading.Thread(target=work, name="worker-%d" % i) for i in range(2)]
for thread in threads:
    thread.start()
"""


def fetched(served, page, path, query=""):
    """The profile that the page shows, as a file for `report`; the page is loaded anew if it is over."""
    kind = page.run("scene.state.type")
    query += "&type=" + kind if kind else ""
    while True:
        shown = page.run("scene.profile.sent.start")
        file = served.get("%s?format=pprof%s" % (INTERVAL, query)).body
        if json.loads(served.get(INTERVAL + "?format=graph" + query).body)["start"] == shown:
            path.write_bytes(file)
            return path
        page.go(page.address())
        page.wait(DRAWN)


def answer(path, page, *more):
    return json.loads(report("--json", "--top", 1000000, "--event", page.run("scene.profile.sent.type"), path,
                             *more))


def numbers(rows):
    """{(name, file): [self, total]} of a table of `report`."""
    found = collections.Counter()
    for row in rows:
        for what in "self", "total":
            found[row["name"], row.get("file", ""), what] += row[what]
    return found


def shown_numbers(page):
    """The same of the page's table."""
    while page.run("!!document.querySelector('#more')"):
        page.click("#more")
    rows = page.run("[...document.querySelectorAll('#table tbody tr')].map(row => ({...row.dataset}))")
    return numbers({**row, "self": int(row["self"]), "total": int(row["total"])} for row in rows)
