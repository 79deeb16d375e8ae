# SPDX-License-Identifier: GPL-2.0-only
"""`pyperf-bpf guide`: text and JSON say the same, and each page is there. That each command can be read is in
tests/unit/run/test_guide.c."""
import json
import re
import subprocess

import jsonschema

import profiler


def guide(*arguments):
    return subprocess.run([profiler.BINARY, "guide", *arguments], capture_output=True, text=True, check=True,
                          timeout=300).stdout


def test_text_and_json_say_the_same():
    found = json.loads(guide("--json"))
    jsonschema.validate(found, json.loads((profiler.ROOT / "docs/schemas/guide.json").read_text()))
    rows = re.findall(r"^(\S.*)\n    (pyperf-bpf .*)    \((docs/.*\.md)\)\n", guide(), re.M)
    assert rows == [(row["question"], row["command"], row["page"]) for row in found["guide"]]
    assert len(rows) > 20


def test_each_page_is_there():
    for row in json.loads(guide("--json"))["guide"]:
        assert (profiler.ROOT / row["page"]).is_file(), row
