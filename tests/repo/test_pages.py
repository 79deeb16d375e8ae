# SPDX-License-Identifier: GPL-2.0-only
"""The pages of documentation: links lead somewhere, and every file that a page names is there."""
import pathlib
import re

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([*TOP.glob("*.md"), *TOP.glob("docs/**/*.md"), *TOP.glob("tests/**/*.md")])
MADE = {"build", ".cache"}  # what is there only after a build
ENDINGS = "c|h|py|sh|md|def|svg|txt|proto|yaml|service|conf"


def prose(page):
    """Its text without code blocks."""
    return "\n".join(line for line in page.read_text().splitlines() if not line.startswith("    "))


def anchors(page):
    """As GitHub makes them of headings."""
    titles = re.findall(r"^#+ (.*)$", prose(page), re.M)
    plain = (re.sub(r"[^\w\- ]", "", title.lower()) for title in titles)
    return {title.strip().replace(" ", "-") for title in plain}


def wrong_links(page):
    for text, target in re.findall(r"\[([^\]]*)\]\(([^)\s]+)\)", prose(page)):
        path, _, anchor = target.partition("#")
        if re.match("https?:", target):
            continue
        other = (page.parent / path) if path else page
        if not other.exists():
            yield target, "no such file"
        elif anchor and anchor not in anchors(other):
            yield target, "no such heading"


def missing_files(page):
    """What stands in backquotes and is a path from the top of the tree, or a name that is nowhere in it."""
    sources = (path for path in TOP.rglob("*") if not MADE & set(path.relative_to(TOP).parts))
    names = {path.name for path in sources}
    for name in re.findall(r"`([\w./-]+)`", prose(page)):
        first = name.split("/")[0]
        if re.search("NN|NAME", name):  # in a recipe: the reader's own
            continue
        if "/" in name and first in ("bpf", "user", "tests", "deploy", "docs", "vmlinux"):
            if not (TOP / name).exists():
                yield name
        elif re.fullmatch(r"[\w/-]+\.(%s)" % ENDINGS, name) and name.rpartition("/")[2] not in names:
            yield name


def missing_of_the_map(page, top):
    """Files in the rows "feature | in bpf/ | in user/ | tests" of docs/design.md that are not there."""
    for line in page.read_text().splitlines():
        cells = line.split("|")[1:-1]
        if len(cells) != 4 or cells[0].strip() in ("feature", "---"):
            continue
        for folder, cell in ("bpf", cells[1]), ("user", cells[2]):
            yield from (name for name in re.findall(r"`([^`]+)`", cell) if not (top / folder / name).exists())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_links(page):
    assert not list(wrong_links(page))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TOP)))
def test_files_that_are_named(page):
    assert not list(missing_files(page))


def test_the_map_from_features_to_files():
    page = TOP / "docs/design.md"
    assert "\n| feature | kernel side, in `bpf/` | user side, in `user/` | tests |\n" in page.read_text()
    assert not list(missing_of_the_map(page, TOP))


def test_files_that_share_a_name():
    """docs/design.md has each name that headers of several rooms have, with all of these rooms."""
    rows = re.findall(r"^\| `(\w+\.h)` \| (.*) \|$", (TOP / "docs/design.md").read_text(), re.M)
    told = {name: sorted(re.findall(r"`([\w/]+)`: ", text)) for name, text in rows}
    rooms = {}
    for path in [*TOP.glob("bpf/**/*.h"), *TOP.glob("user/**/*.h")]:
        rooms.setdefault(path.name, []).append(str(path.parent.relative_to(TOP)))
    assert told == {name: sorted(where) for name, where in rooms.items() if len(where) > 1}


def test_how_long_a_check_takes():
    """It is said in several places, and is the same in all of them."""
    told = {}
    for name in "Makefile", "README.md", "CONTRIBUTING.md", "docs/testing.md":
        text = " ".join((TOP / name).read_text().split())
        told[name] = set(re.findall(r"(?:make check(?!-)|\bcheck: deps-)[^.;(]{,90}? (\d+) minutes", text))
    assert all(len(minutes) == 1 for minutes in told.values()), told
    assert len(set.union(*told.values())) == 1, told


def test_a_hole_in_the_map_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("| feature | `bpf/` | `user/` | tests |\n|---|---|---|---|\n"
                    "| x | `base/mem.h`, `gone.h` | `main.c` | |\n")
    assert list(missing_of_the_map(page, TOP)) == ["gone.h"]


def test_the_judge_finds_what_is_wrong(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A title, of `it`\n\n[good](#a-title-of-it) [bad](#a-title) [gone](gone.md)\n\n"
                    "`user/main.c` `user/gone.c` `main.c` `gone.c` `no/path` `a.b()`\n")
    assert list(wrong_links(page)) == [("#a-title", "no such heading"), ("gone.md", "no such file")]
    assert list(missing_files(page)) == ["user/gone.c", "gone.c"]


def test_changelog():
    """As Keep a Changelog has it: [Unreleased], then versions with a date, the newest first; and kinds of
    entries."""
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    lines = (TOP / "docs" / "CHANGELOG.md").read_text().splitlines()
    versions = [line[3:] for line in lines if line.startswith("## ")]
    assert versions[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", version) for version in versions[1:])
    dates = [version[-10:] for version in versions[1:]]
    assert dates == sorted(dates, reverse=True)
    assert {line[4:] for line in lines if line.startswith("### ")} <= kinds


def test_usual_options_are_options():
    """Those of the short --help, which are a list of their own."""
    usual = re.search(r"usual\[\] = \{(.*?)\};", (TOP / "user/options/help.c").read_text(), re.S)[1]
    rows = re.findall(r'^(?:FLAG|NUMBER|TEXT|CHOICE)\(.*?, "([a-z-]+)"',
                      (TOP / "user/options/options.def").read_text(), re.M)
    named = re.findall(r'"([a-z-]+)"', usual)
    assert len(named) == len(set(named)) == 20 and set(named) <= set(rows)
