# SPDX-License-Identifier: GPL-2.0-only
"""The pictures of the documentation as a browser shows them: columns are straight, no text hides another."""
import html
import json
import pathlib
import re
import sys

import pytest

from browser import Browser, ink

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "deploy/tools"))
import terminal_svg  # noqa: E402

PICTURES = sorted((TOP / "docs/pictures").glob("*.svg"))
TERMINAL = """\x1b[1mHottest functions\x1b[0m
\x1b[2m   self    total  function                          defined at\x1b[0m
 \x1b[31m70.58%\x1b[0m   \x1b[31m70.58%\x1b[0m  escape_time                       /srv/shop/shop.py:11
  5.78%    5.78%  report_view.<listcomp>            /srv/shop/shop.py:28
  0.60%  i  i  i  W  W  W  .  .  .                  <&"'>;
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    try:
        return Browser(tmp_path_factory.mktemp("chromium"))
    except FileNotFoundError:
        pytest.skip("SKIP chromium: it is not here")


def text_of(path):
    """The lines of a picture that terminal_svg.py has made, by where it puts the pieces."""
    lines = {}
    pieces = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" textLength[^>]*>([^<]*)<', path.read_text())
    for x, y, text in pieces:
        column = round((float(x) - terminal_svg.PAD) / terminal_svg.CELL)
        number = round((float(y) - terminal_svg.BAR - terminal_svg.PAD) / terminal_svg.LINE - 0.72)
        line = lines.setdefault(number, [])
        line.extend([" "] * (column - len(line)))
        line[column:] = html.unescape(text)
    return ["".join(lines.get(n, ())) for n in range(max(lines) + 1)]


def misplaced(browser, path, lines):
    """Cells, (line, column), that have ink and should be blank, or have none and should not."""
    cell, line_height = terminal_svg.CELL, terminal_svg.LINE
    columns = max(map(len, lines))
    width, height = map(int, re.search(r'width="(\d+)" height="(\d+)"', path.read_text()).groups())
    pixels = browser.pixels(path, width, height)
    background = tuple(bytes.fromhex(terminal_svg.BACK[1:]))
    found = []
    for number, line in enumerate(lines):
        top = terminal_svg.BAR + terminal_svg.PAD + number * line_height
        for column, character in enumerate(line.ljust(columns)):
            left = terminal_svg.PAD + column * cell
            margin = 2 if character == " " else 0  # a letter may be a little wider than its cell
            inked = ink(pixels, left + margin, top, left + cell - margin, top + line_height, background)
            if inked == (character == " "):
                found.append((number, column))
    return found


def test_columns_of_the_summary(browser):
    """README's first picture: each letter is in its cell, and the cells are those of a table."""
    path = TOP / "docs/pictures/summary.svg"
    lines = text_of(path)
    assert not misplaced(browser, path, lines)
    for title, last in ("Hottest functions", "defined at"), ("Hottest lines", "line"), ("Processes", "name"):
        at = lines.index(title)
        heading, rows = lines[at + 1], lines[at + 2:at + 6]
        column = heading.rindex(last)
        assert all(row[column - 2:column] == "  " and row[column] != " " for row in rows), title
        end = re.search(r"\S+", heading).end()
        assert all(row[end - 1] == "%" and row[end] == " " for row in rows), title


def test_columns_of_a_terminal(browser, tmp_path):
    path = tmp_path / "made.svg"
    lines = terminal_svg.read_screen(TERMINAL, "")
    path.write_text(terminal_svg.draw(lines, "made", ""))
    wanted = ["".join(character for character, _ in line).rstrip() for line in lines]
    assert text_of(path) == wanted == re.sub("\x1b\\[[0-9]*m", "", TERMINAL).splitlines()
    assert not misplaced(browser, path, wanted)


def test_torn_columns_are_found(browser, tmp_path):
    """The judge: runs of blanks in one piece, which a browser draws as one blank each."""
    path = tmp_path / "torn.svg"
    line = "self    total  function                          defined at"
    path.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 100" width="600" height="100">'
                    '<rect width="100%%" height="100%%" fill="%s"/>'
                    '<g font-family="%s" font-size="%d" xml:space="preserve">'
                    '<text x="16" y="59.3" textLength="%.1f" fill="%s">%s</text></g></svg>'
                    % (terminal_svg.BACK, terminal_svg.FONT, terminal_svg.SIZE, len(line) * terminal_svg.CELL,
                       terminal_svg.TEXT, line))
    assert misplaced(browser, path, [line])


MEASURE = """<!doctype html><body style="margin: 0">%s<script>
const found = [...document.querySelectorAll("template")].map(template => {
    const place = document.body.appendChild(document.createElement("div"));
    place.attachShadow({mode: "open"}).append(template.content);  // a picture's styles are its own
    const svg = place.shadowRoot.querySelector("svg");
    const edges = element => {
        const box = element.getBoundingClientRect();
        return [box.left, box.top, box.right, box.bottom];
    };
    return [edges(svg), [...svg.querySelectorAll("text")].map(text => [text.textContent, ...edges(text)])];
});
document.body.innerHTML = "<pre></pre>";
document.querySelector("pre").textContent = JSON.stringify(found);
</script>"""


@pytest.fixture(scope="module")
def drawn(browser, tmp_path_factory):
    """{picture: (its edges, [(text, left, top, right, bottom)])}, all of one run of the browser."""
    page = tmp_path_factory.mktemp("pictures") / "page.html"
    templates = ("<template>%s</template>" % picture.read_text() for picture in PICTURES)
    page.write_text(MEASURE % "".join(templates))
    found = re.search("<pre>(.*)</pre>", browser.document(page), re.S)[1]
    return dict(zip(PICTURES, json.loads(html.unescape(found))))


@pytest.mark.parametrize("picture", PICTURES, ids=lambda path: path.stem)
def test_no_text_is_hidden(drawn, picture):
    """No text leaves the picture, and no two are drawn over each other."""
    (left, top, right, bottom), texts = drawn[picture]
    assert texts
    outside = [text for text, x0, y0, x1, y1 in texts if x0 < left or x1 > right or y0 < top or y1 > bottom]
    assert not outside
    # Boxes of lines that stand close together touch; letters do not fill their boxes.
    over = [(one[0], other[0]) for n, one in enumerate(texts) for other in texts[:n]
            if min(one[3], other[3]) - max(one[1], other[1]) > 1
            and min(one[4], other[4]) - max(one[2], other[2]) > 5]
    assert not over
