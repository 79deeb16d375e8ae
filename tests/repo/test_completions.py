# SPDX-License-Identifier: GPL-2.0-only
"""The manual pages and completions of a release (deploy/dist/pages.c) have what --help has, and bash takes
them. The files themselves are tried by make check-dist."""
import pathlib
import re
import subprocess

import profiler
import pytest

PAGES = pathlib.Path(profiler.BINARY).parent / "deploy/dist/pages"


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("page, form", (
    ("man", "--%s"), ("bash", "--%s"), ("zsh", "--%s"), ("fish", " -l %s ")))
def test_every_option(page, form):
    options = set(re.findall(r"^ +(?:-\w, +)?--([a-z-]+)", output(profiler.BINARY, "--help", "all"), re.M))
    text = output(PAGES, page).replace("\\-", "-")
    assert len(options) > 50 and not [o for o in options if form % o not in text]


def test_keys_of_the_config_file():
    text = output(PAGES, "conf").replace("\\-", "-")
    assert ".B output-dir" in text and ".B config" not in text and ".B json" not in text


@pytest.mark.parametrize("words, expected", (
    (("du",), ["dump"]), (("dump", "--js"), ["--json"]), (("dump", "--pus"), []),
    (("--threads", ""), ["all", "main", "active"]), (("top", "--refr"), ["--refresh"])))
def test_bash_completes(tmp_path, words, expected):
    (tmp_path / "completion").write_text(output(PAGES, "bash"))
    text = '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pyperf_bpf; echo "${COMPREPLY[@]}"'
    assert output("bash", "-c", text, tmp_path / "completion", "pyperf-bpf", *words).split() == expected
