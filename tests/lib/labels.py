# SPDX-License-Identifier: GPL-2.0-only
"""The rows of user/profile/labels.def."""
import collections
import re

import lists

# source: THREAD, PROCESS, STATE, STACK, PUBLISHED or CONTAINER; places: a set of IN_QUERY, IN_SERIES.
Label = collections.namedtuple("Label", "key kind source places")

LABELS = [Label(key, kind, field["origin"].removeprefix("ORIGIN_"),
                set(re.findall(r"IN_\w+", field.get("outputs", ""))))
          for (key, kind), field in lists.fields("user/profile/labels.def", "LABEL")]


def keys(source=None, place=None):
    return [label.key for label in LABELS
            if (source is None or label.source == source) and (place is None or place in label.places)]
