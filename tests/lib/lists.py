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


def fields(path, macro):
    """Of each row whose fields have names: (what stands before them, {name: value}), without quotes. A macro
    in their place, as SHOWN("text"), is one of its name."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / path).read_text(), flags=re.S)
    text = re.sub(r'"\s*\n\s*"', "", text)  # a string may go on in the next line
    calls = re.findall(r"^(?:%s)\((.*?)\)\n(?=\w|\n|#|\Z)" % macro, text, re.M | re.S)
    assert calls and len(calls) == len(re.findall(r"^(?:%s)\(" % macro, text, re.M)), path
    for call in calls:
        before, _, named = call.partition("\n\t.")
        named = re.sub(r"\b([A-Z]+)\((\"[^\"]*\")\),", r".\1 = \2,", "." + named)
        found = re.findall(r'\.(\w+) =\s+(?:"([^"]*)"|([^",]+))', named)
        yield ([word.strip(' "') for word in before.strip(",").split(",")],
               {name: string or word.strip() for name, string, word in found})
