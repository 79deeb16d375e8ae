# SPDX-License-Identifier: GPL-2.0-only
"""Where things are on the page, in a real browser: the graph is what one sees first, on a wide screen and on
that of a phone, and the keyboard is soon there."""
import json

import pytest

import interpreters as known
import profiler
from page_numbers import INTERVAL, PROGRAM, fetched
from pprof_rows import report
from serving import server

SIZES = {"wide": (1440, 900), "middle": (1024, 768), "phone": (390, 844)}
TOP = "document.querySelector('#flame canvas').getBoundingClientRect().top"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """All that the strip on top can have: several kinds of events, views and the log."""
    home = tmp_path_factory.mktemp("served")
    with profiler.target(known.usual().path, "-c", PROGRAM, about=False) as target:
        with server(home, "--pid", target.pid, "-F", 499, "--native", "top", "--event", "cpu,offcpu,gil",
                    "--interval", 2, "--log", 5) as s:
            s.pid = target.pid
            profiler.wait_until(lambda: s.get(INTERVAL).status == 200, what="first interval")
            yield s


def shown(show, size, query="", **options):
    width, height = SIZES[size]
    return show(query, width=width, height=height, **options)


def test_graph_is_first(show):
    """Below a strip of at most 120 pixels."""
    page = shown(show, "wide")
    page.wait("!document.querySelector('#heat').hidden && document.querySelectorAll('#views button').length")
    assert 0 < page.run(TOP) <= 120
    lowest = page.run("document.querySelector('#below').getBoundingClientRect().bottom")
    assert page.run("document.querySelector('#flame').clientHeight") > 500 and lowest <= 900


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wider_than_the_screen(show, size):
    page = shown(show, size)
    width = SIZES[size][0]
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run("document.querySelector('#flame canvas').clientWidth") > 0.5 * width
    assert page.run(TOP) < SIZES[size][1] / 2


def test_keyboard_is_soon_at_the_graph(show):
    """Tab by Tab; a row of buttons or of labels is one stop, in which arrows go on."""
    page = shown(show, "wide")
    page.wait("!document.querySelector('#heat').hidden && document.querySelectorAll('#views button').length")
    stops = 0
    while not page.run("document.activeElement.matches('#flame canvas')"):
        page.key("Tab")
        stops += 1
        assert stops <= 12, page.run("document.activeElement.outerHTML")
    page.focus("#events a[aria-current]")
    page.key("ArrowRight")
    assert page.run("document.activeElement.textContent") == "waiting"
    page.key("Home")
    page.key("ArrowLeft")
    assert page.run("document.activeElement === document.querySelectorAll('#events a')[3]")
    strips = page.run("document.querySelectorAll('#labels .strip').length")
    reached = page.run("[...document.querySelectorAll('#labels button')].filter(b => b.tabIndex >= 0).length")
    assert strips == reached > 0


def test_place_in_a_strip_stays(show):
    """Labels are drawn anew by what is pressed, and the keyboard is where it was."""
    page = shown(show, "wide")
    page.focus("#labels .strip[data-label=package] .segments button")
    chosen = page.run("document.activeElement.dataset.filter")
    page.key("Enter")
    assert "package=" in page.address()
    assert page.run("document.activeElement.dataset.filter") == chosen
    page.key("Enter")
    assert "package=" not in page.address()


def test_groups_by_a_list(show):
    """What the labels' names do, by a list in the strip."""
    page = shown(show, "wide")
    assert page.run("[...document.querySelector('#group').options].map(o => o.value)") == page.run(
        "labelsOf(scene.profile)")
    page.run("(() => { const group = document.querySelector('#group'); group.value = 'package'; "
             "group.dispatchEvent(new Event('change')); })()")
    assert "group=package" in page.address()
    names = page.run("[...treeCallees(scene.tree, 0)].map(id => scene.keys[scene.tree.key[id]].name)")
    assert "program" in names and "stdlib" in names


def test_paths_are_short(served, show, tmp_path):
    """As the terminal has them; the whole one is where one points."""
    page = shown(show, "wide", "?hide=native")
    path = fetched(served, page, tmp_path / "now.pb.gz", "&hide=native")
    text = report("--top", 1000, path)
    rows = page.run("[...document.querySelectorAll('#table tbody small')].map(s => [s.textContent, s.title])")
    places = [place for place, _ in rows if place]
    assert len(places) > 5 and any(place.startswith("json/encoder.py:") for place in places)
    assert all(place in text for place in places), (places, text)
    assert all(whole.endswith(place) for place, whole in rows)
    assert any(whole.startswith("/") for _, whole in rows)


# A path, and what user/profile/short_path.h makes of it without a folder.
PATHS = {"/usr/lib/python3.11/json/encoder.py": "json/encoder.py", "/srv/shop/app/web.py": "app/web.py",
         "/v/lib/python3.13t/site-packages/jinja2/lexer.py": "jinja2/lexer.py", "/app.py": "/app.py",
         "/usr/lib/python3/dist-packages/apt/cache.py": "apt/cache.py", "./x/y/z.py": "x/y/z.py",
         "/usr/lib/x86_64-linux-gnu/libc.so.6": "libc.so.6", "<string>": "<string>", "a/b/c.py": "a/b/c.py",
         "/opt/lib64/python3.9/os.py": "os.py", "/tmp/site-packages/": "/tmp/site-packages/"}


def test_paths_of_all_kinds(show):
    page = shown(show, "wide")
    assert {path: page.run("dataShort(%s)" % json.dumps(path)) for path in PATHS} == PATHS
