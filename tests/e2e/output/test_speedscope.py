# SPDX-License-Identifier: GPL-2.0-only
"""--format speedscope, judged by speedscope: by the schema that it publishes, and by its own page, which
opens the file in a browser. The profile is of a real program with eight threads."""
import json
import re
import shutil

import jsonschema
import pytest

import interpreters as known
import profiler
import viewers
from browser import Browser


@pytest.fixture(scope="module")
def package():
    return viewers.find("speedscope")


@pytest.fixture(scope="module")
def written(tmp_path_factory, workloads):
    """CPU time and waits of eight threads."""
    with profiler.target(known.usual().path, workloads / "eight.py") as target:
        run = profiler.run_while(tmp_path_factory.mktemp("speedscope"), [target], 0.8, "-F", 499, "--event",
                                 "cpu,offcpu", seconds=1, output="eight.speedscope.json")
        return run, target.about["functions"]


def test_the_published_schema_takes_it(written, package):
    run, functions = written
    file = json.loads(run.path.read_text())
    schema = json.loads((package / "dist/release/file-format-schema.json").read_text())
    jsonschema.validate(file, schema)
    names = {frame["name"] for frame in file["shared"]["frames"]}
    assert set(functions) <= names
    kinds = {profile["name"].partition(":")[0] for profile in file["profiles"]}
    assert {"cpu", "offcpu"} <= kinds
    waits = [profile for profile in file["profiles"] if profile["name"].startswith("offcpu: ")]
    assert len(waits) >= 8
    assert sum(sum(profile["weights"]) for profile in waits) == run.stats["profile"]["offcpu_samples"]


def test_the_schema_refuses_what_is_none(written, package):
    """The judge."""
    file = json.loads(written[0].path.read_text())
    schema = json.loads((package / "dist/release/file-format-schema.json").read_text())
    file["profiles"][0]["unit"] = "ticks"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(file, schema)


def test_its_page_opens_it(written, package, tmp_path):
    """The page has the name of the profile that it shows: the heaviest, one of those that compute."""
    run, _ = written
    try:
        browser = Browser(tmp_path / "chromium")
    except FileNotFoundError:
        pytest.skip("SKIP chromium: it is not here")
    page = tmp_path / "page"
    shutil.copytree(package / "dist/release", page)
    shutil.copy(run.path, page / "eight.json")
    with viewers.serve(page) as url:
        shown = browser.run(url + "/index.html#profileURL=eight.json", "--virtual-time-budget=20000",
                            "--dump-dom")
    file = json.loads(run.path.read_text())
    name = file["profiles"][file["activeProfileIndex"]]["name"]
    assert name.startswith("cpu: ")
    assert name in re.sub("<[^>]*>", " ", shown), shown[-3000:]
