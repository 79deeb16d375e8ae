# SPDX-License-Identifier: GPL-2.0-only
"""make format: what clang-format makes of the C files, by .clang-format. With --check it changes nothing,
prints what it would change, and fails if there is anything.

Some code is left as its writer broke it: chains of `?:`, of which clang-format knows nothing, choices by
`? :`, cases of one line, macros, and rows of tables. A line that is too long is broken wherever it is."""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from check_format import CODE_COLUMNS

PROGRAM = os.environ.get("CLANG_FORMAT", "clang-format-19")
FOLDERS = "bpf", "user", "tests", "deploy"
LEFT = re.compile(r"""
      [?] | \s:\s                # a choice, or a chain of them
    | ^\s*(case\s.*|default):.*;  # a case of one line
    | \\$ | ^\s*\#              # a macro, or a line of it
    | ^\s*[{.\["0-9A-Z_].*,$    # rows, or a part of one: of structs, members, strings, numbers, names
    | ^\s*[{.\["0-9A-Z_][^;]*$  # ... the last one of them
    | [{]\s[^;]*[},]$ | [}];$   # ... the first and the last one, beside what they belong to
    """, re.VERBOSE)


def formatted(files):
    """What clang-format makes of each file, by file."""
    style = "--style=file:" + os.path.abspath(".clang-format")
    with tempfile.TemporaryDirectory() as folder:
        copies = [pathlib.Path(folder, str(number) + file.suffix) for number, file in enumerate(files)]
        for file, copy in zip(files, copies):
            shutil.copy(file, copy)
        for begin in range(0, len(copies), 200):
            subprocess.run([PROGRAM, "-i", style, *copies[begin:begin + 200]], check=True)
        return {file: copy.read_text() for file, copy in zip(files, copies)}


def with_begin(lines, begin, end):
    """Those lines, and before them the rest of the statement."""
    while begin and re.search(r"[^;{}:/]$", lines[begin - 1]):
        begin -= 1
    return lines[begin:end]


def is_left(lines, begin, end):
    return all(len(line.expandtabs(8)) <= CODE_COLUMNS for line in lines[begin:end]) and (
        any(map(LEFT.search, lines[begin:end])) or any("?" in line for line in with_begin(lines, begin, end)))


def changes(old, new):
    """(first line, lines, lines in their place) of what is not as clang-format has it."""
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for kind, begin, end, new_begin, new_end in blocks:
        if kind != "equal" and not is_left(old, begin, end):
            yield begin, end, new[new_begin:new_end]


def main():
    check = sys.argv[1:] == ["--check"]
    files = sorted(file for folder in FOLDERS for file in pathlib.Path(folder).rglob("*.[ch]"))
    if not shutil.which(PROGRAM):
        sys.exit(f"format: there is no {PROGRAM} here: `make deps` installs it")
    found = 0
    for file, text in formatted(files).items():
        old, new = file.read_text().split("\n"), text.split("\n")
        for begin, end, lines in reversed(list(changes(old, new))):
            found += 1
            if check:
                print(f"{file}:{begin + 1}: clang-format has it otherwise: make format")
                print("\n".join([*("-" + line for line in old[begin:end]), *("+" + line for line in lines)]))
            old[begin:end] = lines
        if not check and old != file.read_text().split("\n"):
            file.write_text("\n".join(old))
            print(f"{file}: formatted")
    sys.exit(check and found > 0)


main()
