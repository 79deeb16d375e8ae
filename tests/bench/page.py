#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What the page costs: tests/bench/page.py PROFILER [paints], in Python with what the tests need
(.cache/venv). With "paints" only the second part.

1. Of the profiler's CPU time (with its worker), by turns: while nobody has the page open, and while fifty
   have. Each of these asks for what the page asks for (user/page/start.js): it follows the run, and at each
   interval's end gets the list of intervals and the profile.
2. Of a browser: from the begin of loading a file of the page until the graph has been painted, for trees of
   several sizes, and how far what is said at the pointer is behind it. Both are ratios within one run; how
   busy the machine was is said beside them.
"""
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import sys
import tempfile
import threading
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "lib"))
os.environ["PYPERF"] = str(pathlib.Path(sys.argv[1]).resolve())
import devtools  # noqa: E402
import interpreters as known  # noqa: E402
import profiler  # noqa: E402
import serving  # noqa: E402

PAGES, INTERVAL, TURNS = 50, 10, 3
NODES = 1000, 10000, 100000, 1000000
LOADS = 10
MOVES = 60  # of the pointer
# A frame after the page has said that it has drawn, since only then it is seen.
WATCH = """new MutationObserver(() => {
    if (document.body && document.body.dataset.drawn && !window.seen) {
        window.seen = true;
        requestAnimationFrame(() => setTimeout(() => { window.drawnAt = performance.now(); }));
    }
}).observe(document, {attributes: true, subtree: true, childList: true});"""


# From a movement of the pointer to the frame after it.
LAG = """window.lags = []; document.addEventListener("mousemove", event => requestAnimationFrame(() =>
    setTimeout(() => lags.push(performance.now() - event.timeStamp))), true);"""


def lags(page):
    """ms, the least first, while the pointer goes over the graph."""
    left, top, width, height = page.box("#flame canvas")
    page.run(LAG)
    for number in range(MOVES):
        page.mouse("Moved", left + width * (number + 0.5) / MOVES,
                   top + height * (number * 7 % MOVES) / MOVES)
        page.wait("window.lags.length > %d" % number)
    return sorted(page.run("window.lags"))


def cpu_of(process):
    """With the processes that it has started."""
    group = os.getpgid(process.pid)
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            if os.getpgid(pid) == group:
                total += profiler.cpu_seconds(pid)
    return total


class Page(threading.Thread):
    """What one open page asks for."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.updates = server, 0
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
        self.connection.request("GET", "/debug/pyperf/follow")
        self.answer = self.connection.getresponse()
        self.start()

    def run(self):
        with contextlib.suppress(OSError, ValueError, AttributeError, http.client.HTTPException):
            for line in self.answer:
                if line.startswith(b"data:"):
                    for path in "/debug/pyperf/intervals", "/debug/pyperf/interval":
                        while self.server.get(path).status != 200:  # it is encoded just now
                            time.sleep(1)
                    self.updates += 1

    def close(self):
        with contextlib.suppress(OSError):
            self.connection.sock.shutdown(2)
        self.connection.close()


def cost(directory):
    """Seconds of CPU a second, without pages and with them, of each turn."""
    command = known.newest().path, TESTS / "workloads" / "edges.py", "--steady"
    found = []
    with profiler.targets([command] * 2) as started:
        pids = ",".join(str(one.pid) for one in started)
        with serving.server(directory, "--pid", pids, "--interval", INTERVAL) as server:
            profiler.wait_until(lambda: server.get("/debug/pyperf/interval").status == 200, what="interval")
            for _ in range(TURNS):
                shares = []
                for number in 0, PAGES:
                    pages = [Page(server) for _ in range(number)]
                    begin, used = time.monotonic(), cpu_of(server.run.process)
                    time.sleep(3 * INTERVAL)
                    shares.append((cpu_of(server.run.process) - used) / (time.monotonic() - begin))
                    if pages:
                        updates = sum(page.updates for page in pages) / len(pages)
                    for page in pages:
                        page.close()
                found.append((*shares, updates))
    return found


def grow(sent, count):
    """A tree of so many nodes of so many functions, in the place of what was sampled."""
    chance, depth = random.Random(1), 0
    nodes = {"depth": [0], "of": [0], "self": [0]}
    functions = len(sent["functions"]["name"])
    while len(nodes["depth"]) < count:
        depth = max(1, min(60, depth + chance.choice((1, 1, 1, 0, -1, -2))))
        nodes["depth"].append(depth)
        nodes["of"].append(chance.randrange(functions))
        nodes["self"].append(chance.randrange(1, 9))
    sent["nodes"], sent["total"] = nodes, sum(nodes["self"])


def paints(directory):
    """Until the graph is seen, by size of the tree: pairs of ms that passed and ms of CPU time of the browser
    with all its processes, the least first."""
    file = directory / "page.html"
    profiler.run(directory, "-F", 499, "--format", "html", "--", known.newest().path,
                 TESTS / "workloads" / "sound.py", "expressions", output=file.name)
    text, found = file.read_text(), {}
    with contextlib.closing(devtools.Browser(directory / "browser")) as browser:
        for count in NODES:
            def tree(match):
                sent = json.loads(match[2])
                grow(sent[0], count)
                return match[1] + json.dumps(sent) + match[3]
            file.write_text(re.sub(r'(<script[^>]*id="data">)(.*?)(</script>)', tree, text, flags=re.S))
            times = []
            page = browser.open("data:text/html,")
            page.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
            for _ in range(LOADS + 1):  # the first one is not counted
                used = cpu_of(browser.process)
                page.go(file.as_uri())
                page.wait("window.drawnAt")
                times.append((page.run("window.drawnAt"), 1000 * (cpu_of(browser.process) - used)))
            found[count] = sorted(times[1:]), lags(page)
            page.close()
    return found


def main():
    print("load of the machine: %.1f on %d CPUs" % (os.getloadavg()[0], os.cpu_count()))
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        for without, having, updates in () if sys.argv[2:] == ["paints"] else cost(directory):
            print("%.2f %% of a CPU without a page, %.2f %% with %d (%.1f updates each in %d s)" % (
                100 * without, 100 * having, PAGES, updates, 3 * INTERVAL), flush=True)
        for count, (times, behind) in paints(directory).items():
            print("%d nodes: %.0f ms to the first paint of the graph, %.0f in the middle of %d; "
                  "%.0f ms of CPU time; the pointer is %.0f ms ahead in the middle of %d, %.0f at most" % (
                      count, times[0][0], times[len(times) // 2][0], len(times),
                      min(cpu for _, cpu in times), behind[len(behind) // 2], len(behind), behind[-1]))
    print("load of the machine: %.1f" % os.getloadavg()[0])


if __name__ == "__main__":
    main()
