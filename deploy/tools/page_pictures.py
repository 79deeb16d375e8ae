#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes docs/pictures/page-*.png anew: the page of --listen in Chromium, of the demo that ships with the
project, beside which a second program begins. Root; needs what "make deps" installs, and a minute.

    page_pictures.py [BUILD]
"""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/lib"))
import devtools  # noqa: E402

PORT = 27070
TOKEN = "a-token-of-this-hour-alone"
SIZE = {"width": 1280, "height": 800}
BACKUP = "import zlib\ndef backup():\n    while True:\n        zlib.compress(b'0123456789' * 20000)\n" \
         "input()\nbackup()\n"


@contextlib.contextmanager
def running(*command):
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def wait_until_ready():
    """Else the browser would show its own page for what is not there yet."""
    while True:
        with contextlib.suppress(OSError):
            urllib.request.urlopen("http://127.0.0.1:%d/readyz" % PORT).close()
            return
        time.sleep(0.2)


def shown(browser, query="", **options):
    """The page, once it has drawn something."""
    while True:
        with contextlib.suppress(AssertionError):
            page = browser.open("http://127.0.0.1:%d/%s" % (PORT, query), **SIZE, **options,
                                headers={"Authorization": "Bearer " + TOKEN})
            page.wait("document.body.dataset.drawn")
            return page
        time.sleep(0.5)


def wait_for_intervals(page, count):
    page.wait("times.known && times.known.intervals.length >= %d" % count)


def take(page, name):
    page.run("document.querySelector('#table').scrollTop = 0; window.scrollTo(0, 0)")
    time.sleep(0.5)
    page.picture(TOP / "docs/pictures" / ("page-%s.png" % name))


def pictures(browser, backup):
    page = shown(browser, "?type=cpu")
    wait_for_intervals(page, 6)
    take(page, "graph")
    before = page.run("times.known.intervals.length")
    backup.stdin.write(b"\n")
    backup.stdin.flush()
    wait_for_intervals(page, before + 5)
    page.run("sceneChange({at: timesStretch(%d, %d), base: timesStretch(%d, %d)})"
             % (before + 2, before + 4, before - 3, before - 1))
    page.wait("scene.pair")
    take(page, "difference")
    gil = shown(browser, "?view=gil&at=" + page.run("scene.state.at"))
    take(gil, "gil")
    gil.close()  # a browser has six connections to a server, and each page that follows has one of them
    heat = shown(browser, "?heat=yes&type=cpu&live=off")
    heat.wait("heat.known && heat.canvas.dataset.start")
    heat.run("heatMove(heat.known.cells.length - 220, false); heatMove(heat.cursor + 24, true); heatTake()")
    heat.wait("scene.profile.sent.seconds < 1")
    take(heat, "heat")
    heat.close()
    dark = shown(browser, "?at=" + page.run("scene.state.at"), dark=True)
    dark.click("#table button.function", dark.texts("#table tbody tr button").index("quick_sort"))
    take(dark, "callers")
    dark.close()
    source = shown(browser, "?at=" + page.run("scene.state.at"))
    source.click("#table button.function", source.texts("#table tbody tr button").index("escape_time"))
    source.wait("!!document.querySelector('#lines code')")
    take(source, "source")


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else TOP / "build").resolve()
    python, shop = "/usr/bin/python3", pathlib.Path("/srv/shop")
    subprocess.run(["mount", "-t", "tmpfs", "none", "/srv"], check=True)
    shop.mkdir()
    (shop / "backup.py").write_text(BACKUP)
    (shop / "demo.py").write_text((TOP / "deploy/demo/demo.py").read_text())
    (shop / "token").write_text(TOKEN)
    with contextlib.ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        demo = stack.enter_context(running(python, shop / "demo.py", "300"))
        backup = stack.enter_context(running(python, shop / "backup.py"))
        stack.enter_context(running(build / "pyperf-bpf", "--pid", "%d,%d" % (demo.pid, backup.pid),
                                    "-F", "199", "--event", "cpu,offcpu,gil", "--listen", str(PORT),
                                    "--interval", "2", "--log", "5", "--listen-source",
                                    "--listen-token-file", shop / "token"))
        wait_until_ready()
        browser = devtools.Browser(home)
        stack.callback(browser.close)
        pictures(browser, backup)


# /srv/shop is not of this machine: it lies in mounts that end with this program.
if os.environ.get("IN_OWN_MOUNTS"):
    main()
else:
    os.environ["IN_OWN_MOUNTS"] = "1"
    os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])
