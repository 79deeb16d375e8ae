# SPDX-License-Identifier: GPL-2.0-only
"""--speedscope: its own page, served beside ours, opens the profile that is shown, in a real browser. The
page has the name of the profile that it shows."""
import contextlib
import json
import os
import subprocess

import pytest

import home
import interpreters as known
import profiler
import viewers
from page_numbers import INTERVAL, PROGRAM
from serving import server


@pytest.fixture(scope="module")
def release():
    return viewers.find("speedscope") / "dist/release"


@pytest.fixture(scope="module")
def served(release, tmp_path_factory):
    home = tmp_path_factory.mktemp("served")
    with profiler.target(known.usual().path, "-c", PROGRAM, about=False) as target, \
            server(home, "--pid", target.pid, "-F", 499, "--log", 2, "--interval", 3, "--speedscope",
                   release) as s:
        profiler.wait_until(lambda: s.get(INTERVAL).status == 200, what="first interval")
        yield s


def hrefs(page):
    return dict(page.run("[...document.querySelectorAll('#take a')]"
                         ".map(link => [link.textContent, link.href])"))


@pytest.mark.parametrize("link, file, by", [
    ("open in speedscope", "speedscope", "mouse"),
    pytest.param("time line in speedscope", "time line (speedscope)", "keyboard", marks=pytest.mark.all)])
def test_opens_what_is_shown(served, show, browser, link, file, by):
    page = show()
    page.wait("!!document.querySelector('#take a[target]')")
    profile = json.loads(served.get(hrefs(page)[file].removeprefix(served.url)).body)
    name = profile["profiles"][profile.get("activeProfileIndex", 0)]["name"]
    before = {target["targetId"] for target in browser.call("Target.getTargets")["targetInfos"]}
    at = page.texts("#take a").index(link)
    page.run("document.querySelector('#take-menu').open = false")
    page.click("#take-menu summary")
    if by == "mouse":
        page.click("#take a", at)
    else:
        page.focus("#take a", at)
        page.key("Enter")

    def tabs():
        return [target for target in browser.call("Target.getTargets")["targetInfos"]
                if target["targetId"] not in before and "/speedscope/#profileURL=" in target["url"]]

    profiler.wait_until(tabs, what="tab")
    tab, = tabs()
    assert tab["url"] == hrefs(page)[link]
    browser.call("Target.closeTarget", targetId=tab["targetId"])
    viewer = browser.open(tab["url"])
    with contextlib.closing(viewer):
        viewer.wait("document.body.textContent.includes(%s)" % json.dumps(name))
        assert all(asked.startswith((served.url + "/", "data:", "blob:")) for asked in viewer.asked)


def test_files(served, release):
    """Those of the release that make a page, as they are, and nothing else."""
    parts = {".html", ".css", ".js", ".png", ".ico", ".woff2"}
    for file in release.iterdir():
        answer = served.get("/speedscope/" + file.name)
        assert answer.status == (200 if file.suffix in parts else 404), file
        if answer.status == 200:
            assert answer.body == file.read_bytes()
            policy = answer.headers["Content-Security-Policy"]
            assert "default-src 'none'; script-src 'self'; " in policy and "connect-src 'self'; " in policy
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert served.get("/speedscope/").body == (release / "index.html").read_bytes()
    for path in ("/speedscope", "/speedscope/../page.js", "/speedscope/..%2findex.html",
                 "/speedscope//index.html", "/speedscope/index.html/", "/index.html"):
        assert served.get(path).status == 404, path


@pytest.mark.all
def test_no_link_without_it(tmp_path, browser):
    with profiler.target(known.usual().path, "-c", PROGRAM, about=False) as target, \
            server(tmp_path, "--pid", target.pid) as s:
        profiler.wait_until(lambda: s.get(INTERVAL).status == 200, what="first interval")
        assert s.get("/speedscope/").status == 404
        page = browser.open(s.url + "/?live=off")
        with contextlib.closing(page):
            page.wait("document.body.dataset.drawn && !!times.known")
            assert "speedscope" in hrefs(page) and "open in speedscope" not in hrefs(page)


@pytest.mark.parametrize("make, words", [
    (lambda folder: None, "there is no index.html"),
    (lambda folder: folder.mkdir(), "there is no index.html"),
    (lambda folder: folder.write_text("x"), "Not a directory"),
])
def test_folder_that_is_none(tmp_path, make, words):
    make(tmp_path / "folder")
    done = subprocess.run([profiler.BINARY, "-p", str(os.getpid()), "--listen", "unix:%s/s" % tmp_path,
                           "--speedscope", tmp_path / "folder"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and len(home.without_notice(done.stderr).splitlines()) == 1
    assert "--speedscope %s/folder: " % tmp_path in done.stderr and words in done.stderr
