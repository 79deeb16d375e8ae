# SPDX-License-Identifier: GPL-2.0-only
"""The rows of a list (.def) of the sources."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def rows(path, macro, arguments):
    """What the groups of `arguments` are in each row, which is a use of the macro. All rows have to have
    them."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / path).read_text(), flags=re.S)
    found = re.findall(r"^(?:%s)\(%s" % (macro, arguments), text, re.M)
    assert found and len(found) == len(re.findall(r"^(?:%s)\(" % macro, text, re.M)), path
    return found
