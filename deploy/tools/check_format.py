# SPDX-License-Identifier: GPL-2.0-only
"""Lines of code have at most 110 columns (a tab ends at the next eighth), lines of documents 100 outside of
tables, code blocks and links; no line ends in white space; C and make indent by tabs, everything else by
blanks. As .editorconfig has it."""
import pathlib
import re
import sys

CODE_COLUMNS, TEXT_COLUMNS = 110, 100
FOLDERS = ".", "bpf", "user", "vmlinux", "tests", "deploy", "docs", ".ci"
BY_TABS = {".c", ".h", ".def", ".proto", ".js"}
BY_BLANKS = {".py", ".sh", ".css", ".html", ".yaml", ".toml", ".conf", ".service"}
MAY_BE_LONG = "# noqa: E501", "# noqa: E501,E731"  # where a line of a program is what is tested
KNOWN = BY_TABS | BY_BLANKS | {".md"}


def sources():
    for folder in FOLDERS:
        files = pathlib.Path(folder).glob("*") if folder == "." else pathlib.Path(folder).rglob("*")
        for file in sorted(files):
            if file.is_file() and (file.suffix in KNOWN or file.name in ("Makefile", "run")):
                yield file


def prose(lines):
    """The lines of a document that its writer can break: not those of a table or a code block,
    and no long link."""
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and " " in line.strip() and not re.match(r"\||    |!?\[", line):
            yield number, line


def too_long(file, lines):
    if file.suffix == ".md":
        for number, line in prose(lines):
            if len(line) > TEXT_COLUMNS:
                yield number, f"{len(line)} columns, {TEXT_COLUMNS} at most: break it"
        return
    for number, line in enumerate(lines, 1):
        columns = len(line.expandtabs(8))
        if columns > CODE_COLUMNS and not line.endswith(MAY_BE_LONG):
            yield number, f"{columns} columns, {CODE_COLUMNS} at most: break it, or name a part of it"


def white_space(file, lines):
    tabs = file.suffix in BY_TABS or file.name == "Makefile"
    for number, line in enumerate(lines, 1):
        indent = re.match(r"\s*", line)[0]
        if line != line.rstrip():
            yield number, "white space at its end: take it away"
        elif tabs and (" \t" in indent or " " * 8 in indent):
            yield number, "indented by blanks: take tabs, and blanks only for less than eight columns"
        elif not tabs and "\t" in indent:
            yield number, "indented by a tab: take blanks"


def problems():
    for file in sources():
        text = file.read_bytes().decode(errors="replace")
        if "\r" in text or "\ufffd" in text:
            yield f"{file}: write it as UTF-8, with lines that end in a line feed alone"
        if text and not text.endswith("\n"):
            yield f"{file}: its last line has no end: add one"
        lines = text.split("\n")[:-1]
        for number, what in sorted([*too_long(file, lines), *white_space(file, lines)]):
            yield f"{file}:{number}: {what}"


def main():
    found = list(problems())
    print("\n".join(found) or
          f"format: lines of code within {CODE_COLUMNS} columns, of text within {TEXT_COLUMNS}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
