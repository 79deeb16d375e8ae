# SPDX-License-Identifier: GPL-2.0-only
"""Writes the names of the profiler's options, from their list, into the schema of the Helm chart's values, so
that a misspelt one is refused before anything is installed: chart_options.py values.schema.json"""
import json
import pathlib
import sys

from list_rows import rows

LIST = "user/options/options.def"
# What the chart says by other values, and what makes no sense in a DaemonSet.
NO_GROUPS = {"SERVING", "POD_LABELS", "LIVE", "JSON", "ASKED", "VIEW", "DIFF", "TABLE", "STORE",
             "CONFIG"}
NO_OPTIONS = {"all", "all-python", "children", "pid", "pod-logs", "output", "output-dir", "stats-json",
              "push", "push-ca-file", "push-header-file", "version", "help"}


def names():
    for macro in "FLAG", "NUMBER", "TEXT", "CHOICE":
        for words, strings in rows(LIST, "^" + macro):
            if strings and not NO_GROUPS & set(words) and strings[0] not in NO_OPTIONS:
                yield strings[0]


def main(path):
    path = pathlib.Path(path)
    schema = json.loads(path.read_text())
    schema["properties"]["options"]["propertyNames"]["enum"] = sorted(names())
    path.write_text(json.dumps(schema, indent=2) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
