# SPDX-License-Identifier: GPL-2.0-only
"""The rows of user/profile/labels.def."""
import collections
import pathlib
import re

LIST = pathlib.Path(__file__).resolve().parents[2] / "user" / "profile" / "labels.def"

# source: THREAD, PROCESS, STATE, STACK, PUBLISHED or CONTAINER; places: a set of IN_QUERY, IN_SERIES,
# IN_FRAME.
Label = collections.namedtuple("Label", "key kind source places")


def read_list():
    text = re.sub(r"/\*.*?\*/", "", LIST.read_text(), flags=re.S)
    found = re.findall(r"^LABEL\((\w+), (\w+), (\w+), ([\w| ]+),", text, re.M)
    assert found and len(found) == len(re.findall(r"^LABEL\(", text, re.M)), LIST
    return [Label(key, kind, source, set(re.findall(r"IN_\w+", places)))
            for key, kind, source, places in found]


LABELS = read_list()


def keys(source=None, place=None):
    return [label.key for label in LABELS
            if (source is None or label.source == source) and (place is None or place in label.places)]
