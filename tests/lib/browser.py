# SPDX-License-Identifier: GPL-2.0-only
"""Chromium without a window: what a document has become in it, and a picture of it. And how tests begin with
any browser."""
import contextlib
import itertools
import shutil
import struct
import subprocess
import zlib

import pytest


@contextlib.contextmanager
def started(kind, name, home, *arguments):
    """A browser of this kind for a with statement; where it is not here, the test is skipped."""
    try:
        one = kind(home, *arguments)
    except FileNotFoundError:
        pytest.skip("SKIP %s: it is not here" % name)
    with contextlib.closing(one):
        yield one


def program():
    """Debian's smaller package of it, which has no window at all, or the whole one.
    Raises FileNotFoundError where there is none."""
    found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if not found:
        raise FileNotFoundError("chromium")
    return found


class Browser:
    """Raises FileNotFoundError where there is no Chromium. home: a folder for what it wants to keep."""

    def __init__(self, home):
        self.home, self.program = home, program()

    def run(self, url, *arguments):
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   "--force-device-scale-factor=1", "--user-data-dir=%s" % self.home)
        done = subprocess.run([self.program, *options, *arguments, url],
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def document(self, path):
        """The document after its scripts have run."""
        return self.run(path.as_uri(), "--virtual-time-budget=5000", "--dump-dom")

    def pixels(self, path, width, height):
        """Rows of pixels, each (red, green, blue)."""
        png = self.home / "screen.png"
        self.run(path.as_uri(), "--window-size=%d,%d" % (width, height), "--screenshot=%s" % png)
        return read_png(png.read_bytes())


def paeth(left, above, corner):
    """Of PNG's filters the fourth: whichever neighbour is nearest to left + above - corner."""
    guess = left + above - corner
    return min((left, above, corner), key=lambda near: abs(guess - near))


FILTERS = (lambda left, above, corner: 0, lambda left, above, corner: left, lambda left, above, corner: above,
           lambda left, above, corner: (left + above) // 2, paeth)


def read_png(data):
    """Eight bits a channel, with or without alpha, not interlaced: what Chromium writes."""
    at, body = 8, b""
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        content = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", content)
            assert depth == 8 and colour in (2, 6) and not interlaced
        body += content if kind == b"IDAT" else b""
        at += size + 12
    step, stream, rows = 3 if colour == 2 else 4, zlib.decompress(body), []
    above = bytearray(width * step)
    for start in range(0, height * (width * step + 1), width * step + 1):
        predict, row = FILTERS[stream[start]], bytearray(stream[start + 1:start + 1 + width * step])
        if stream[start]:
            for i in range(len(row)):
                left, corner = (row[i - step], above[i - step]) if i >= step else (0, 0)
                row[i] = (row[i] + predict(left, above[i], corner)) & 255
        rows.append([tuple(row[i:i + 3]) for i in range(0, len(row), step)])
        above = row
    return rows


def ink(rows, left, top, right, bottom, background):
    """Whether any pixel of this rectangle is clearly of another colour than the background."""
    return any(sum(abs(a - b) for a, b in zip(pixel, background)) > 60
               for pixel in itertools.chain.from_iterable(row[round(left):round(right)]
                                                          for row in rows[round(top):round(bottom)]))
