#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws what a program wrote to a terminal as an SVG picture: text with colours on a dark window.

    script -qec 'pyperf-bpf -d 10 -- python3 app.py' raw.txt
    terminal_svg.py [--title TEXT] [--command TEXT] raw.txt > picture.svg

Knows what pyperf-bpf writes: bold, dim, the sixteen colours, carriage return, "erase to the end of the line".
Anything else that begins with ESC is left out, as are the first and last line that script(1) adds.
--command is shown as a prompt above the output, --until ends the picture before the line that contains a
text.
"""
import argparse
import html
import re
import sys

FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SIZE, CELL, LINE = 13, 7.83, 18.5  # px: font, width of a column, height of a line
PAD, BAR = 16, 30                  # px: around the text, and the window's title bar
BACK, FRAME, TEXT, FAINT, PROMPT = "#16181d", "#23262e", "#d7dae0", "#8a91a0", "#7fb77e"
COLOURS = ("#5c6370", "#f2777a", "#8fc98b", "#e5c07b", "#6cb2eb", "#c792ea", "#5fc7c7", "#d7dae0")

CSI = re.compile(r"\x1b\[([0-9;?]*)([@-~])|\x1b[^\[]")


class Screen:
    """Lines of cells; a cell is (character, style) and a style is (colour, bold, dim)."""

    def __init__(self):
        self.lines, self.column, self.style = [[]], 0, (None, False, False)

    def put(self, character):
        line = self.lines[-1]
        line.extend([(" ", (None, False, False))] * (self.column + 1 - len(line)))
        line[self.column] = (character, self.style)
        self.column += 1

    def control(self, parameters, letter):
        if letter == "K":
            del self.lines[-1][self.column:]
        if letter != "m":
            return
        for number in map(int, re.findall(r"\d+", parameters or "0")):
            colour, bold, dim = self.style
            if number == 0:
                self.style = (None, False, False)
            elif number in (1, 2):
                self.style = (colour, bold or number == 1, dim or number == 2)
            elif 30 <= number <= 37 or 90 <= number <= 97:
                self.style = (COLOURS[number % 10], bold, dim)

    def write(self, text):
        at = 0
        while at < len(text):
            escape = CSI.match(text, at)
            if escape:
                self.control(escape[1], escape[2])
                at = escape.end()
                continue
            if text[at] == "\n":
                self.lines.append([])
                self.column = 0
            elif text[at] == "\r":
                self.column = 0
            elif text[at] >= " ":
                self.put(text[at])
            at += 1


def read_screen(text, until):
    screen = Screen()
    body = [line for line in text.split("\n") if not line.startswith(("Script started", "Script done"))]
    screen.write("\n".join(body))
    lines = screen.lines
    if until:
        stop = next((n for n, line in enumerate(lines) if until in "".join(c for c, _ in line)), len(lines))
        lines = lines[:stop]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def pieces(line):
    """[(first column, text, style)] of a line: cells of one style together, apart at each gap of two blanks.

    A browser draws a run of blanks as one, so no piece may have any: each stands where its column is.
    """
    found = []
    for column, (character, style) in enumerate(line):
        if found and found[-1][2] == style and found[-1][0] + len(found[-1][1]) == column:
            found[-1][1] += character
        else:
            found.append([column, character, style])
    return [(column + match.start(), match[0], style) for column, text, style in found
            for match in re.finditer(r"\S+(?: \S+)*", text)]


def text_element(x, y, text, style):
    colour, bold, dim = style
    attributes = ' fill="%s"' % (colour or (FAINT if dim else TEXT)) + (' font-weight="700"' if bold else "")
    # textLength keeps columns straight whatever monospace font the viewer has.
    return '<text x="%.1f" y="%.1f" textLength="%.1f"%s>%s</text>' % (
        x, y, len(text) * CELL, attributes, html.escape(text))


def draw(lines, title, command):
    if command:
        prompt = [("$", (PROMPT, True, False)), (" ", (None, False, False))]
        lines = [prompt + [(c, (None, True, False)) for c in command]] + lines
    columns = max(len(line) for line in lines)
    width, height = 2 * PAD + columns * CELL, BAR + 2 * PAD + len(lines) * LINE
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" '
           'role="img">' % (width, height, width, height),
           "<title>%s</title>" % html.escape(title),
           '<rect width="100%%" height="100%%" rx="8" fill="%s"/>' % BACK,
           '<path d="M0 %d V8 a8 8 0 0 1 8 -8 H%.0f a8 8 0 0 1 8 8 V%d z" fill="%s"/>'
           % (BAR, width - 8, BAR, FRAME)]
    out += ['<circle cx="%d" cy="15" r="5" fill="#4a4f5a"/>' % x for x in (18, 36, 54)]
    out += ['<text x="%.0f" y="19" fill="%s" font-size="12" font-family="sans-serif" text-anchor="middle">'
            '%s</text>' % (width / 2, FAINT, html.escape(title)),
            '<g font-family="%s" font-size="%d">' % (FONT, SIZE)]
    for n, line in enumerate(lines):
        y = BAR + PAD + (n + 0.72) * LINE
        out += [text_element(PAD + column * CELL, y, text, style) for column, text, style in pieces(line)]
    return "\n".join(out + ["</g>", "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--title", default="pyperf-bpf")
    parser.add_argument("--command", default="")
    parser.add_argument("--until", default="")
    parser.add_argument("raw")
    arguments = parser.parse_args()
    with open(arguments.raw, encoding="utf-8", errors="replace", newline="") as f:
        lines = read_screen(f.read().replace("\r\n", "\n"), arguments.until)
    sys.stdout.write(draw(lines, arguments.title, arguments.command))


if __name__ == "__main__":
    main()
