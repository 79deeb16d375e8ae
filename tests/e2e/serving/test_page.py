# SPDX-License-Identifier: GPL-2.0-only
"""The page in a real browser: the flame graph is drawn, and nothing is asked of anybody but the profiler."""
import html
import json
import re
import shutil
import subprocess

import pytest

import interpreters as known
import profiler
from serving import server


@pytest.fixture(scope="module")
def browse(tmp_path_factory):
    chromium = shutil.which("chromium")
    if not chromium:
        pytest.skip("SKIP chromium: it is not here")
    home = tmp_path_factory.mktemp("chromium")

    def run(url, *arguments):
        """The document after its scripts have run, what they said on the console,
        and the addresses it asked for."""
        log = home / "net.json"
        done = subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu",
                               "--user-data-dir=%s" % home,
                               "--log-net-log=%s" % log, "--net-log-capture-mode=Everything",
                               "--enable-logging=stderr",
                               "--window-size=1200,1000", "--virtual-time-budget=10000", *arguments,
                               "--dump-dom", url],
                              capture_output=True, text=True, timeout=90)
        assert done.returncode == 0, done.stderr
        console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        origin = re.match(r"https?://[^/]+", url).group()
        return done.stdout, console, requests_of(log, origin)

    return run


def requests_of(log, origin):
    """Those that the page started; the browser has some of its own."""
    found = set()
    for event in json.loads(log.read_text())["events"]:
        parameters = event.get("params", {})
        if parameters.get("initiator") == origin and "url" in parameters:
            found.add(parameters["url"])
    return found


def frames(document):
    """The titles of the drawn frames."""
    return [html.unescape(title) for title in re.findall(r"<title>([^<]*, \d+ samples, [\d.]+ %)</title>",
                                                         document)]


def test_the_flame_graph_is_drawn(tmp_path, workloads, browse):
    link = tmp_path / "x<b>&amp;"
    link.symlink_to(known.usual().path)
    with profiler.target(link, workloads / "shares.py",
                         1) as target, server(tmp_path, "--pid", target.pid, "-F", 999) as s:
        if s.get("/d3.js").status == 404:
            pytest.skip("SKIP flamegraph: built without the flame graph's libraries (make flamegraph, and "
                        "build again)")
        profiler.wait_until(lambda: s.get("/flamegraph.json").status == 200, what="first interval")
        document, console, asked = browse(s.url + "/")
        part, _, asked_for_part = browse(s.url + "/?pid=%d" % target.pid)
        other, _, _ = browse(s.url + "/?pid=1")
    assert not console
    assert {address.removeprefix(s.url) for address in asked} == {"/page.css", "/page.js", "/d3.js",
                                                                  "/d3-flamegraph.js",
                                                                  "/flamegraph.json"}
    assert s.url + "/flamegraph.json?pid=%d" % target.pid in asked_for_part
    total = int(re.search(r'data-drawn="(\d+)"', document).group(1))
    assert total > 20
    titles = frames(document)
    assert "all, %d samples, 100.0 %%" % total in titles
    assert any(title.startswith("x<b>&amp; (pid %d), " % target.pid) for title in titles)
    counts = {name: int(n) for title in titles
              for name, n in re.findall(r"^(heavy|light) \(.*shares.py:\d+\), (\d+) ", title)}
    assert counts["heavy"] > counts["light"] > 0
    assert "<b>" not in document
    assert any(title.startswith("heavy (") for title in frames(part))
    assert 'data-drawn="0"' in other and len(frames(other)) == 1


def test_one_kind_of_event_after_the_other(tmp_path, browse):
    """Where there are several, a link leads to each; what was asked for besides stays."""
    code = "import time\nwhile True: time.sleep(0.01)"
    with profiler.target(known.usual().path, "-c", code, about=False) as target:
        with server(tmp_path, "--pid", target.pid, "--event", "cpu,offcpu") as s:
            if s.get("/d3.js").status == 404:
                pytest.skip("SKIP flamegraph: built without the flame graph's libraries (make flamegraph, "
                            "and build again)")
            profiler.wait_until(lambda: s.get("/flamegraph.json").status == 200, what="first interval")
            document, console, asked = browse(s.url + "/?type=offcpu&pid=%d" % target.pid)
    assert not console
    assert s.url + "/flamegraph.json?type=offcpu&pid=%d" % target.pid in asked
    links = re.findall(r'<a href="([^"]*)" title="[^"]*"( aria-current="page")?>([^<]*)</a>', document)
    there = s.url + "/?type=%s&pid=" + str(target.pid)
    assert [(html.unescape(to), bool(now), text) for to, now, text in links] == [
        (there % "cpu", False, "CPU"), (there % "offcpu", True, "waiting"),
        (there % "runqueue", False, "run queue")]
    titles = [html.unescape(title) for title in re.findall("<title>([^<]*)</title>", document)]
    assert any(re.fullmatch(r"<module> \(.*\), [\d.]+ s, [\d.]+ %", title) for title in titles), titles


def colours(document):
    """Red, green and blue of the drawn frames, by their names."""
    drawn = re.findall(r'name="([^"]*)" class="frame"><rect[^>]* fill="rgb\((\d+), ?(\d+), ?(\d+)\)"',
                       document)
    return {html.unescape(name): tuple(map(int, rgb)) for name, *rgb in drawn}


def test_kinds_of_frames_are_told_apart(tmp_path, workloads, browse):
    """By colour, and the legend has every row of bpf/frames.def."""
    with profiler.target(known.usual().path, workloads / "depth.py", 60) as target:
        with server(tmp_path, "--pid", target.pid, "--max-depth", "30") as s:
            if s.get("/d3.js").status == 404:
                pytest.skip("SKIP flamegraph: built without the flame graph's libraries (make flamegraph, "
                            "and build again)")
            profiler.wait_until(lambda: s.get("/flamegraph.json").status == 200, what="first interval")
            document, console, _ = browse(s.url + "/")
    assert not console
    legend = re.search(r'<p id="legend">(.*?)</p>', document).group(1)
    assert re.findall(r"</i>([^<]+)</span>", legend) == [kind.shown for kind in profiler.FRAMES]
    assert len(set(re.findall(r"background-color: (rgb[^;]+);", legend))) == len(profiler.FRAMES)
    red, green, blue = colours(document)["descend"]
    assert red > green + 30 and red > blue + 30
    red, green, blue = colours(document)["[truncated]"]
    assert red == green == blue


def test_native_code_can_be_hidden(tmp_path, workloads, browse):
    """The legend offers it where there is some, and the page then draws what the server made without."""
    code = "import zlib\nwhile True: zlib.compress(b'0123456789' * 100000)"
    with profiler.target(known.newest().path, "-c", code, about=False) as target:
        with server(tmp_path, "--pid", target.pid, "--native", "leaf") as s:
            if s.get("/d3.js").status == 404:
                pytest.skip("SKIP flamegraph: built without the flame graph's libraries (make flamegraph, "
                            "and build again)")
            profiler.wait_until(lambda: b'"kind":"native"' in s.get("/flamegraph.json").body,
                                what="native code in an interval")
            shown, console, _ = browse(s.url + "/")
            hidden, hidden_console, asked = browse(s.url + "/?hide=native")
    assert not console and not hidden_console
    assert 'id="hide"' in shown and 'id="hide"' in hidden
    assert s.url + "/flamegraph.json?hide=native" in asked
    assert any("libz" in title or "zlib" in title for title in frames(shown))
    assert [title for title in frames(hidden) if title.startswith("<module> (")]
    assert not any("libz" in title or "[syscall" in title for title in frames(hidden))


def test_stacks_of_a_process(tmp_path, browse):
    """The table has a link to them, and they are below it. Nothing of a name is markup."""
    script = tmp_path / "x<b>&amp;.py"
    script.write_text("def f(): input()\nf()\n")
    with profiler.target(known.newest().path, script, about=False,
                         stdin=subprocess.PIPE) as target:
        with server(tmp_path, "--pid", target.pid) as s:
            document, console, asked = browse(s.url + "/#stacks=%d" % target.pid)
            other, _, asked_without = browse(s.url + "/")
    assert not console
    address = s.url + "/debug/pyperf/stacks?pid=%d" % target.pid
    assert address in asked and address not in asked_without
    assert re.search(r'<a class="now" href="#stacks=%d">stacks now</a>' % target.pid, document)
    text = html.unescape(re.sub(r"<[^>]*>", "", re.search(r'<pre id="stacks-text">(.*?)</pre>', document,
                                                         re.S).group(1)))
    assert text.startswith("Process %d " % target.pid)
    assert "      f (%s:1)\n      <module> (%s:2)\n" % (script, script) in text
    assert "x<b>" not in document
    assert '<section id="stacks" hidden="">' in other and "Process %d" % target.pid not in other


def test_before_the_first_interval(tmp_path, browse):
    """The page waits for it."""
    with server(tmp_path, "--all-python") as s:
        if s.get("/d3.js").status == 404:
            pytest.skip("SKIP flamegraph: built without the flame graph's libraries (make flamegraph, and "
                        "build again)")
        document, _, _ = browse(s.url + "/")
    assert "data-drawn" in document or "first interval" in document


def test_deep_stacks(tmp_path, workloads, browse):
    with profiler.target(known.usual().path, workloads / "depth.py", 900) as target:
        with server(tmp_path, "--pid", target.pid) as s:
            if s.get("/d3.js").status == 404:
                pytest.skip("SKIP flamegraph: built without the flame graph's libraries (make flamegraph, "
                            "and build again)")
            profiler.wait_until(lambda: s.get("/flamegraph.json").status == 200, what="first interval")
            document, console, _ = browse(s.url + "/")
    assert not console and len(frames(document)) > 800
