# SPDX-License-Identifier: GPL-2.0-only
"""Line and bar charts as plain SVG, readable on light and dark pages. Nothing but the standard library."""
import math
from xml.sax.saxutils import escape

COLOURS = "#2166ac", "#b2182b", "#1a7f37", "#8250df", "#bf6a02", "#0e8a8a", "#6e7781", "#cf4a9b"
STYLE = ("<style>text{font:12px sans-serif;fill:#1f2328}.t{font-size:15px;font-weight:600}.g{stroke:#8c959f;"
         "stroke-opacity:.35}.l{fill:none;stroke-width:2}.b{fill:#fff}"
         "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.b{fill:#0d1117}}</style>")
WIDTH, LEFT, TOP, BOTTOM, RIGHT = 760, 70, 52, 50, 210


def number(value):
    for size, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return "%g%s" % (round(value / size, 2), suffix)
    return "%.3g" % value


class Axis:
    """Maps values to pixels; ticks are where the grid lines go."""

    def __init__(self, values, begin, end, log):
        low, high = min(values), max(values)
        self.log, self.begin, self.end = log and low > 0, begin, end
        if self.log:
            self.low = 10 ** math.floor(math.log10(low))
            self.high = 10 ** math.ceil(math.log10(high) - 1e-9)
            self.high = max(self.high, self.low * 10)
            powers = range(round(math.log10(self.low)), round(math.log10(self.high)) + 1)
            steps = (1,) if len(powers) > 4 else (1, 2, 5)
            self.ticks = [s * 10.0 ** p for p in powers for s in steps if s * 10.0 ** p <= self.high * 1.001]
        else:
            self.low = min(0, low)
            step = 10 ** math.floor(math.log10(max(high - self.low, 1e-9)))
            step *= next(k for k in (0.2, 0.5, 1, 2) if (high - self.low) / (step * k) <= 6)
            self.high = max(math.ceil(high / step - 1e-9) * step, self.low + step)
            self.low = math.floor(self.low / step) * step
            self.ticks = [self.low + i * step for i in range(round((self.high - self.low) / step) + 1)]

    def __call__(self, value):
        scale = math.log10 if self.log else float
        part = (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))
        return self.begin + part * (self.end - self.begin)


def document(path, height, title, body):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">\n%s\n'
                    '<rect class="b" width="100%%" height="100%%"/>\n'
                    '<text class="t" x="16" y="22">%s</text>\n%s\n</svg>\n'
                    % (WIDTH, height, STYLE, escape(title), "\n".join(body)))


def text(x, y, content, anchor="start"):
    return '<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>' % (x, y, anchor, escape(content))


def lines(path, title, x_label, y_label, series, log_x=False, log_y=False):
    """series: {name: [(x, y)]}. A name that ends in ", sampled" is dashed,
    in the colour of its other half."""
    series = {name: points for name, points in series.items() if points}
    if not series:
        return
    height, bottom = 400, 400 - BOTTOM
    x = Axis([p[0] for points in series.values() for p in points], LEFT, WIDTH - RIGHT, log_x)
    y = Axis([p[1] for points in series.values() for p in points], bottom, TOP, log_y)
    body = []
    for tick in x.ticks:
        body += ['<path class="g" d="M%.1f %d V%d"/>' % (x(tick), TOP, bottom),
                 text(x(tick), bottom + 18, number(tick), "middle")]
    for tick in y.ticks:
        body += ['<path class="g" d="M%d %.1f H%d"/>' % (LEFT, y(tick), WIDTH - RIGHT),
                 text(LEFT - 8, y(tick) + 4, number(tick), "end")]
    body += [text((LEFT + WIDTH - RIGHT) / 2, height - 12, x_label, "middle"), text(16, TOP - 8, y_label)]
    stems = list(dict.fromkeys(name.rsplit(", ", 1)[0] for name in series))
    for i, (name, points) in enumerate(series.items()):
        colour = COLOURS[stems.index(name.rsplit(", ", 1)[0]) % len(COLOURS)]
        dash = ' stroke-dasharray="6 4"' if name.endswith(", sampled") else ""
        place = " L".join("%.1f %.1f" % (x(a), y(b)) for a, b in points)
        body.append('<path class="l" stroke="%s"%s d="M%s"/>' % (colour, dash, place))
        body += ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (x(a), y(b), colour) for a, b in points]
        top = TOP + 12 + 20 * i
        body += ['<path class="l" stroke="%s"%s d="M%d %d h24"/>' % (colour, dash, WIDTH - RIGHT + 12,
                                                                     top - 4),
                 text(WIDTH - RIGHT + 42, top, name)]
    document(path, height, title, body)


def bars(path, title, unit, rows, log=False):
    """rows: [(label, value)], drawn from top to bottom."""
    rows = [(label, value) for label, value in rows if value is not None and (value > 0 or not log)]
    if not rows:
        return
    left, height = 230, TOP + 24 * len(rows) + 40
    x = Axis([value for _, value in rows], left, WIDTH - 90, log)
    body = []
    for tick in x.ticks:
        body += ['<path class="g" d="M%.1f %d V%d"/>' % (x(tick), TOP, height - 34),
                 text(x(tick), height - 18, number(tick), "middle")]
    for i, (label, value) in enumerate(rows):
        top = TOP + 6 + 24 * i
        colour = (COLOURS[0] if "pyperf" in label or
                  not any("pyperf" in row[0] for row in rows) else COLOURS[6])
        body += [text(left - 8, top + 12, label, "end"),
                 '<rect x="%.1f" y="%d" width="%.1f" height="16" fill="%s"/>'
                 % (left, top, max(1, x(value) - left), colour),
                 text(x(value) + 6, top + 12, number(value))]
    document(path, height, "%s, %s" % (title, unit), body)
