# SPDX-License-Identifier: GPL-2.0-only
"""Files have at most 450 lines, those of tests 500, and functions at most 60, from the first line of the
signature to the closing brace. What may be longer stands below with its reason."""
import ast
import pathlib
import re
import sys

FUNCTION_LINES = 60
FILE_LINES = {"bpf": 450, "user": 450, "deploy": 450, "tests": 500}  # by folder

# path or path:function, and why
ALLOWED = {
    "bpf/python/walk.h:walk_parse": "one function for the verifier, which would check each part at each call",
}

SHELL_FUNCTION = re.compile(r"^([a-zA-Z_]\w*) *\(\) *\{")


def c_functions(lines):
    """(name, first line, number of lines). A function's braces stand in the first column,
    as nothing else's do."""
    for end in (i for i, line in enumerate(lines) if line == "}"):
        begin = next((i for i in range(end, -1, -1) if lines[i] == "{"), None)
        if begin is None:
            continue
        first = begin
        while first and lines[first - 1].strip() and not re.search(r"([;}]|\*/)$|^#", lines[first - 1]):
            first -= 1
        names = re.findall(r"(\w+)\(", " ".join(lines[first:begin]))
        yield names[-1] if names else "?", first + 1, end - first + 1


def indented_functions(lines):
    for i, line in enumerate(lines):
        match = re.match(r"( *)def (\w+)", line)
        if match:
            inner = match[1] + " "
            end = i + 1
            while end < len(lines) and (not lines[end].strip() or lines[end].startswith(inner)):
                end += 1
            yield match[2], i + 1, len("\n".join(lines[i:end]).rstrip().splitlines())


def python_functions(text):
    try:
        tree = ast.parse(text)
    except SyntaxError:  # Python 2
        yield from indented_functions(text.splitlines())
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def shell_functions(lines):
    for i, line in enumerate(lines):
        match = SHELL_FUNCTION.match(line)
        if match and not line.rstrip().endswith("}"):
            end = next((j for j in range(i, len(lines)) if lines[j].startswith("}")), len(lines) - 1)
            yield match[1], i + 1, end - i + 1


def functions(file, text):
    lines = text.splitlines()
    if file.suffix in (".c", ".h"):
        return c_functions(lines)
    return python_functions(text) if file.suffix == ".py" else shell_functions(lines)


def sources():
    for folder in FILE_LINES:
        for file in sorted(pathlib.Path(folder).rglob("*")):
            if file.suffix in (".c", ".h", ".py", ".sh") and file.is_file():
                yield file


def problems():
    used = set()
    for file in sources():
        text = file.read_text()
        count, most = text.count("\n"), FILE_LINES[file.parts[0]]
        if count > most:
            used.add(str(file))
            if str(file) not in ALLOWED:
                yield (f"{file}: {count} lines, {most} at most: it has more than one subject; give "
                       f"each a file of its own")
        for name, line, length in functions(file, text):
            if length <= FUNCTION_LINES:
                continue
            used.add(f"{file}:{name}")
            if f"{file}:{name}" not in ALLOWED:
                yield (f"{file}:{line}: {name}() has {length} lines, {FUNCTION_LINES} at most: give its "
                       f"steps names, as functions")
    for name in sorted(set(ALLOWED) - used):
        yield f"{sys.argv[0]}: {name} is not too long any more, or not there: take it off the list"


found = list(problems())
print("\n".join(found) or
      f"size: no file above {FILE_LINES['user']} lines ({FILE_LINES['tests']} in tests), no function above "
      f"{FUNCTION_LINES}")
sys.exit(bool(found))
