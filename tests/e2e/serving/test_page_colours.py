# SPDX-License-Identifier: GPL-2.0-only
"""What the page's colours mean, in a real browser: the legend says it in each mode, whoever does not see all
colours can tell them apart, and text can be read (WCAG AA, as axe-core judges it)."""
import itertools
import json
import math
import re

import pytest

import interpreters as known
import profiler
import viewers
from page_numbers import INTERVAL, PROGRAM
from serving import server

# What a pixel's linear red, green and blue become for who lacks one kind of cones (Machado et al. 2009).
EYES = {
    "all": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
               (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
                 (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
                (0.004733, 0.691367, 0.303900)),
}
LEAST = 0.05  # of OKLab: two and a half times what is just seen
LEGEND = ("[...document.querySelectorAll('#legend span')].map(span => [span.textContent, "
          "getComputedStyle(span.querySelector('i')).backgroundColor])")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    home = tmp_path_factory.mktemp("served")
    with profiler.target(known.usual().path, "-c", PROGRAM, about=False) as target:
        with server(home, "--pid", target.pid, "-F", 499, "--native", "top", "--event", "cpu,offcpu",
                    "--interval", 2, "--log", 5) as s:
            s.pid = target.pid
            profiler.wait_until(lambda: len(json.loads(s.get(INTERVAL + "s").body)["intervals"]) >= 2,
                                what="two intervals")
            yield s


def numbers(colour):
    """The red, green and blue of "#rrggbb" or "rgb(r, g, b)", 0 to 1."""
    if colour[0] == "#":
        return [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    return [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]


def linear(colour):
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in numbers(colour)]


def lab(red, green, blue):
    """OKLab, in which distances are about those that people see."""
    red, green, blue = (min(1, max(0, part)) for part in (red, green, blue))
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
            1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
            0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short)


def distance(one, other):
    """The least for any eyes."""
    return min(math.dist(*(lab(*(sum(a * b for a, b in zip(row, linear(colour), strict=True))
                                 for row in eyes)) for colour in (one, other))) for eyes in EYES.values())


def contrast(one, other):
    lights = sorted((0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in
                     (linear(one), linear(other))), reverse=True)
    return (lights[0] + 0.05) / (lights[1] + 0.05)


def test_judges():
    """Red and green of one lightness are no two colours for everybody; black on white is what it is."""
    assert distance("#c04040", "#7a7a2a") < LEAST < distance("#d02020", "#5588dd")
    assert round(contrast("#000000", "#ffffff")) == 21


def test_all_eyes(show):
    """The colours of packages and of kinds of frames differ for whoever, and text on each can be read."""
    page = show()
    kinds = page.run("scene.profile.sent.kinds.filter(kind => kind.kind !== 'python')"
                     ".map(kind => kind.colour)")
    colours = page.run("[COLOURS_PROGRAM, COLOURS_STANDARD, ...COLOURS_PACKAGES, COLOURS_FOUND]")
    assert len(set(colours + kinds)) == 16
    for one, other in itertools.combinations(colours + kinds, 2):
        assert distance(one, other) > LEAST, (one, other)
    for colour in [*colours, *kinds, *page.run("[COLOURS_GROUP, COLOURS_OTHERS, COMPARE_CHANCE]")]:
        assert contrast(colour, page.run("coloursText('%s')" % colour)) >= 4.5, colour
    grew, shrank, chance = page.run("COMPARE_LEGEND.map(row => row.colour)")
    assert min(distance(grew, shrank), distance(grew, chance), distance(shrank, chance)) > LEAST


# Of every frame that is drawn: the colour that the legend has nearest to it, and what it should be.
MEANS = """scene.flame.rects.filter(rect => rect.id && !scene.keys[scene.tree.key[rect.id]].isGroup)
    .map(rect => {
        const key = scene.keys[scene.tree.key[rect.id]], kind = scene.profile.sent.kinds[key.kind];
        return [scene.flame.colour(rect.id), kind.kind === 'python', kind.shown, key.package, key.file];
    })"""
WORDS = {"program": "the program's own", "stdlib": "standard library"}


@pytest.mark.parametrize("mode", ["package", "file", "kind", "one"])
def test_legend_is_true(show, mode):
    """The patch that is nearest to a frame's colour is that of what the frame is."""
    page = show("?colour=" + mode if mode != "package" else "")
    legend, frames = page.run(LEGEND), page.run(MEANS)
    assert len(frames) > 10 and ("colour=" in page.address()) == (mode != "package")
    short = dict(page.run("scene.profile.keys.map(key => [key.file, dataShort(key.file)])"))
    for colour, is_python, kind, package, file in frames:
        wanted = {"package": WORDS.get(package, package) if is_python else kind, "kind": kind,
                  "file": short[file] if is_python else kind, "one": "every frame"}[mode]
        said = min(legend, key=lambda row: math.dist(numbers(row[1]), numbers(colour)))[0]
        assert said == wanted or (" other " in said and wanted not in dict(legend)), (colour, wanted, said)
    if mode == "package":
        assert {"the program's own", "standard library", "native code"} <= set(dict(legend))
    page.run("sceneChange({colour: 'one', search: 'hot'})")
    assert [text for text, _ in page.run(LEGEND)] == ["every frame", "found"]


def test_legend_of_a_difference(show):
    """It says what red, blue and grey mean, and nothing of packages."""
    page = show()
    page.run("sceneChange({at: timesStretch(1, 1), base: timesStretch(0, 0)})")
    page.wait("scene.pair")
    said = [text for text, _ in page.run(LEGEND)]
    assert said == ["grew, the stronger the more", "shrank", "may be chance"]
    assert page.run("document.querySelector('#colour').disabled")


def test_colours_stay(show):
    """Of a package, while the run goes on; one more takes no colour that another one has."""
    page = show()
    taken = page.run("(() => { coloursTake('package', ['a', 'b', 'c']); const before = [...colours.package]; "
                     "coloursTake('package', ['d', 'c', 'e', 'f', 'g', 'h']); "
                     "return [before, [...colours.package], coloursOfName('h', 'package')]; })()")
    before, after, last = taken
    assert after[:len(before)] == before and len({colour for _, colour in after}) == len(after) == 6
    assert last == page.run("COLOURS_OTHERS")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("query", ["", "?view=waits", "?focus=none&search=hot&colour=file"])
def test_axe(show, query, dark):
    """No rule of WCAG 2 A or AA is broken, contrast among them."""
    source = (viewers.find("axe-core") / "axe.min.js").read_text()
    page = show(query, dark=dark, width=1440, height=900)
    page.run(source + ";0")
    found = json.loads(page.run("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']})"
                                ".then(found => JSON.stringify([found.passes.map(rule => rule.id), "
                                "found.violations.map(rule => [rule.id, rule.nodes.map(n => n.html)])]))"))
    assert "color-contrast" in found[0] or found[1], found
    assert not found[1]
