# SPDX-License-Identifier: GPL-2.0-only
"""The scripts behind make check-layers, check-size and check-format find what they are there for,
and name the place."""
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
TOOLS = ROOT / "deploy/tools"
ROOMS = """<!-- begin: rooms -->
    base     what every room uses
    run      the life of a run
    main.c   the start
<!-- end: rooms -->
<!-- begin: bpf rooms -->
    abi      what both sides share
    data     types
    events   what makes samples
<!-- end: bpf rooms -->
They stand on 3
floors.
"""


def run(script, folder, *arguments):
    done = subprocess.run([sys.executable, TOOLS / script, *arguments], cwd=folder, capture_output=True,
                          text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.fixture
def tree(tmp_path):
    """A tree in order, and a function that writes a file into it."""
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    write("docs/design.md", ROOMS)
    write("user/main.c", '#include "run/run.h"\n')
    write("user/run/run.h", '#include "base/buf.h"\n')
    write("user/base/buf.h", '#include "bpf/abi.h"\n')
    write("bpf/abi.h", '#include "bpf/abi/tree.h"\n')
    write("bpf/abi/tree.h", "#include <linux/types.h>\n")
    write("bpf/data/maps.h", '#include "bpf/abi.h"\n')
    write("bpf/events/wait.h", '#include "bpf/data/maps.h"\n')
    write("bpf/x.bpf.c", '#include "bpf/events/wait.h"\n')
    write.folder = tmp_path
    return write


def layers(tree, name, text):
    assert run("check_layers.py", tree.folder)[0] == 0
    tree(name, text)
    code, said = run("check_layers.py", tree.folder)
    assert code == 1
    return said


@pytest.mark.parametrize("name,text,said", [
    ("user/base/buf.h", '\n#include "run/run.h"\n', "user/base/buf.h:2: base includes run/run.h"),
    ("user/new/x.h", "", "user/new is not in the list of rooms"),
    ("docs/design.md", ROOMS.replace("    run ", "    gone    it was here\n    run "),
     "there is no user/gone"),
    ("bpf/abi.h", '#include "base/buf.h"\n', "bpf/abi.h:1: the kernel side includes user/base/buf.h"),
    ("user/base/a.h", '#include "base/a.h"\n', "user/base/a.h includes user/base/a.h"),
    ("bpf/data/maps.h", '\n\n#include "bpf/events/wait.h"\n',
     "bpf/data/maps.h:3: data includes bpf/events/wait.h"),
    ("bpf/abi.h", '#include "bpf/data/maps.h"\n', "bpf/abi.h:1: abi includes bpf/data/maps.h"),
    ("bpf/new/x.h", "", "bpf/new is not in the list of rooms"),
    ("docs/design.md", ROOMS.replace("    events ", "    gone    it was here\n    events "),
     "there is no bpf/gone"),
    ("bpf/data/maps.h", "static int f(void)\n{\n}\n", "bpf/data/maps.h:2: code in a room of types"),
    ("bpf/abi.h", "\ncount->outcome[kind][outcome] += 1;\n", "bpf/abi.h:2: counts a sample: sample_end() in"),
])
def test_layers(tree, name, text, said):
    assert said in layers(tree, name, text)


def test_all_options_are_seen_by_run_alone(tree):
    tree("docs/design.md", ROOMS.replace("    run ", "    options    the command line\n    run "))
    tree("user/options/options.h", "")
    tree("user/run/run.h", '#include "options/options.h"\n')
    assert "user/base/buf.h:1: base includes options/options.h: give it" in layers(
        tree, "user/base/buf.h", '#include "options/options.h"\n')


def test_floors(tree):
    assert "3 rooms of user/ on 3 floors and 3 rooms of bpf/ on 3" in run("check_layers.py", tree.folder)[1]
    tree("docs/design.md", ROOMS.replace("    run ", "    kern    the kernel side\n    run "))
    tree("user/kern/a.h", '#include "base/buf.h"\n')
    assert "4 rooms of user/ on 3 floors" in run("check_layers.py", tree.folder)[1]
    assert "stand on 3 floors, and they stand on 4" in layers(tree, "user/run/run.h",
                                                              '#include "kern/a.h"\n')
    tree("docs/design.md", ROOMS.replace("stand on 3\nfloors", "are high"))
    assert "stand on no floors" in run("check_layers.py", tree.folder)[1]


def test_ring_of_headers(tree):
    tree("user/base/a.h", '#include "base/b.h"\n')
    tree("user/base/b.h", "")
    assert "user/base/a.h includes user/base/b.h includes user/base/a.h" in layers(
        tree, "user/base/b.h", '#include "base/a.h"\n')


def size(tree, name, text):
    tree(name, text)
    code, said = run("check_size.py", tree.folder)
    return code, [line for line in said.splitlines() if name in line]


@pytest.mark.parametrize("name,head,line,tail", [
    ("user/x.c", "static int f(int a,\n\t     int b)\n{\n", "\ta++;\n", "}\n"),
    ("tests/x.py", "def f():\n", "    x = 1\n", ""),
    ("tests/x.sh", "f() {\n", "    true\n", "}\n"),
])
def test_functions(tree, name, head, line, tail):
    around = (head + tail).count("\n")
    # 1: the list of what may be is another's
    assert size(tree, name, head + (60 - around) * line + tail) == (1, [])
    code, said = size(tree, name, "\n" + head + (61 - around) * line + tail)
    assert code == 1 and said[0].startswith(f"{name}:2: f() has 61 lines")


def test_files(tree):
    assert size(tree, "user/x.h", 450 * "int x;\n") == (1, [])
    code, said = size(tree, "user/x.h", 451 * "int x;\n")
    assert code == 1 and "user/x.h: 451 lines" in said[0]


@pytest.mark.parametrize("name,line,said", [
    ("user/x.c", "x" * 111, "111 columns, 110 at most"),
    ("user/x.c", "\t" + "x" * 103, "111 columns"),
    ("user/x.c", "        x;", "indented by blanks"),
    ("user/x.c", "\tx; ", "white space at its end"),
    ("tests/x.py", "\tx", "indented by a tab"),
    ("docs/x.md", "word " * 20 + "a", "101 columns, 100 at most"),
    ("docs/x.md", "text\r", "line feed alone"),
])
def test_format(tree, name, line, said):
    assert run("check_format.py", tree.folder) == (0,
                                                   "format: lines of code within 110 columns, of text within "
                                                   "100\n")
    tree(name, f"\n{line}\n")
    code, found = run("check_format.py", tree.folder)
    assert code == 1
    assert said in found and found.startswith(f"{name}")


@pytest.mark.parametrize("name,text", [
    ("user/x.c", "x" * 110 + "\n\t\t    x;\n *\n"),
    ("docs/x.md", "| " + "word " * 30 + "|\n```\n" + "word " * 30 + "x\n```\n    " + "word " * 30 + "x\n"),
    ("docs/x.md", "https://" + "x" * 120 + "\n"),
    ("Makefile", "a:\n\tb\n"),
])
def test_format_that_is_right(tree, name, text):
    tree(name, text)
    assert run("check_format.py", tree.folder)[0] == 0


needs_clang_format = pytest.mark.skipif(not shutil.which("clang-format-19"),
                                        reason="SKIP clang-format: there is no clang-format-19")


@needs_clang_format
@pytest.mark.parametrize("written,formatted", [
    ("\tf( a,b );\n", "\tf(a, b);\n"),
    ("\tif (a) f();\n", "\tif (a)\n\t\tf();\n"),
    ("\treturn f(" + 12 * "argument, " + "a) ?: 1;\n",
     "\treturn f(" + 8 * "argument, " + "argument,\n\t\t argument, argument, argument, a)\n"
     "\t\t       ?: 1;\n"),
])
def test_what_make_format_writes(tree, written, formatted):
    tree(".clang-format", (ROOT / ".clang-format").read_text())
    tree("user/x.c", f"int g(void)\n{{\n{written}}}\n")
    code, said = run("format.py", tree.folder, "--check")
    assert code == 1
    assert said.startswith("user/x.c:3: clang-format has it otherwise: make format\n-" + written)
    assert run("format.py", tree.folder) == (0, "user/x.c: formatted\n")
    assert (tree.folder / "user/x.c").read_text() == f"int g(void)\n{{\n{formatted}}}\n"
    assert run("format.py", tree.folder, "--check") == (0, "")


@needs_clang_format
@pytest.mark.parametrize("text", [
    "int g(void)\n{\n\treturn f(1) ?:\n\t       f(2);\n}\n",
    "int g(int a)\n{\n\treturn a ?\n\t\t       f(2) :\n\t\t       0;\n}\n",
    "int g(int a)\n{\n\tswitch (a) {\n\tcase 1: return 2;\n\tdefault: return 3;\n\t}\n}\n",
    "#define TWICE(x) \\\n\tdo {       \\\n\t\tx; x; \\\n\t} while (0)\n",
    "const char *names[] = {\n\t\"a\", \"b\",\n\t\"and c\", \"d\",\n};\n",
    "struct s s = { .first = 1, .second = 2,\n\t       .third = 3 };\n",
])
def test_what_make_format_leaves(tree, text):
    tree(".clang-format", (ROOT / ".clang-format").read_text())
    tree("user/x.c", text)
    assert run("format.py", tree.folder, "--check") == (0, "")
