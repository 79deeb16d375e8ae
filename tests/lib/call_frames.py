# SPDX-License-Identifier: GPL-2.0-only
"""What readelf and llvm-dwarfdump say of a file's call frames: two programs that execute the instructions of
.eh_frame and .debug_frame, each in its own way.

by_readelf() and by_llvm() give Function objects. Of a row the CFA is (register, offset) or a list of
operations; a register's place is a number, which is relative to the CFA, a list of operations whose value is
its address, or a word: "same", "undefined", "other"."""
import collections
import functools
import re
import shutil
import subprocess

import elf_files

Function = collections.namedtuple("Function", "begin end signal rows")
Row = collections.namedtuple("Row", "begin cfa bp ip")


def operations(text):
    """An expression in either program's spelling, as ["breg6 -8", "deref"]."""
    found = []
    for part in re.split(r"[;,] ", text.strip()):
        name, _, rest = part.strip().replace("DW_OP_", "", 1).replace(":", "", 1).partition(" ")
        number = re.search(r"([+-]?(?:0x[0-9a-f]+|\d+))$", rest)
        found.append(f"{name} {int(number[1], 0)}" if number else name)
    return found


# --- readelf -----------------------------------------------------------------------------------------------

def entries(text):
    """(heading, lines) of each CIE and FDE of a dump."""
    heading, lines = None, []
    for line in text.splitlines():
        if re.match(r"[0-9a-f]{8} [0-9a-f]{8,16} [0-9a-f]{8,16} (CIE|FDE)", line):
            if heading:
                yield heading, lines
            heading, lines = line, []
        elif line.startswith("Contents of "):
            if heading:
                yield heading, lines
            heading, lines = None, []
            yield line, []
        else:
            lines.append(line)
    if heading:
        yield heading, lines


def expressions_of(lines, first, begin):
    """{address: (expression of the CFA, of rbp's place, whether rbp is undefined)} of a raw dump's entry:
    frames-interp only says "exp" and "u". first: what holds at begin."""
    now, remembered, found = first, [], {}
    for line in lines:
        moved = re.search(r"DW_CFA_(?:advance_loc\d?: \d+ to|set_loc:) ([0-9a-f]+)", line)
        if moved:
            found[begin] = now
            begin = int(moved[1], 16)
        elif "DW_CFA_remember_state" in line:
            remembered.append(now)
        elif "DW_CFA_restore_state" in line:
            now = remembered.pop()
        elif "DW_CFA_def_cfa_expression" in line:
            now = operations(re.search(r"expression \((.*)\)", line)[1]), *now[1:]
        elif "DW_CFA_expression: r6 " in line:
            now = now[0], operations(re.search(r"\(rbp\) \((.*)\)", line)[1]), False
        elif " r6 (rbp)" in line:
            now = now[0], None, "DW_CFA_undefined: " in line
    found[begin] = now
    return found


def readelf_place(word, expression, undefined):
    if word is None or word == "u":
        return "undefined" if undefined else "same"
    if word == "s":
        return "same"
    if word == "exp":
        return expression or "other"
    return int(word[1:]) if re.match(r"c[+-]", word) else "other"


def interpreted_rows(lines):
    """(begin, {column: word}) of the table of an entry."""
    names = []
    for line in lines:
        words = re.sub(r"r\d+ \((\w+)\)", r"\1", line).split()
        if words[:2] == ["LOC", "CFA"]:
            names = words
        elif names and len(words) == len(names) and re.fullmatch("[0-9a-f]{16}", words[0]):
            yield int(words[0], 16), dict(zip(names, words))


def readelf_rows(lines, expressions):
    for begin, row in interpreted_rows(lines):
        cfa, bp, undefined = expressions[begin]
        if row["CFA"] != "exp":
            register, offset = re.match(r"(.+?)([+-]\d+)$", row["CFA"]).groups()
            cfa = register, int(offset)
        ip = "undefined" if row["ra"] == "u" else readelf_place(row["ra"], None, False)
        yield Row(begin, cfa, readelf_place(row.get("rbp"), bp, undefined), ip)


def readelf_entries(path):
    """(heading, lines of the table, lines of the instructions) of each entry."""
    interpreted = elf_files.readelf("--debug-dump=frames-interp,no-follow-links", path)
    raw = elf_files.readelf("--debug-dump=frames,no-follow-links", path)
    for (heading, lines), (_, instructions) in zip(entries(interpreted), entries(raw)):
        yield heading, lines, instructions


def described(heading):
    """(which common entry, begin, end) of a function's heading."""
    of, *ends = re.search(r"cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)", heading).groups()
    return of, *(int(address, 16) for address in ends)


def by_readelf(path):
    common, functions = {}, []
    for heading, lines, instructions in readelf_entries(path):
        if heading.startswith("Contents of "):
            common = {}
            continue
        if " CIE " in heading:
            expressions = expressions_of(instructions, (None, None, False), 0)
            signal = "S" in re.search(r'CIE "(.*?)"', heading)[1]
            common[heading.split()[0]] = list(readelf_rows(lines, expressions)), expressions[0], signal
            continue
        of, begin, end = described(heading)
        rows, first, signal = common[of]
        own = list(readelf_rows(lines, expressions_of(instructions, first, begin)))
        functions.append(Function(begin, end, signal, own or [r._replace(begin=begin) for r in rows]))
    return functions


# --- llvm-dwarfdump ----------------------------------------------------------------------------------------

def llvm_place(name, places):
    """Of a register, in a text such as "RBP=[CFA-16], RIP=[CFA-8]"."""
    found = re.search(rf"\b{name}=(\[[^]]*\]|\w+)", places)
    if not found:
        return "same" if name == "RBP" else "other"
    text = found[1]
    if text in ("undefined", "same"):
        return text
    number = re.fullmatch(r"\[CFA([+-]\d+)?\]", text)
    if number:
        return int(number[1] or 0)
    return operations(text[1:-1]) if text.startswith("[DW_OP_") else "other"


def llvm_row(line):
    begin, cfa, places = re.match(r"\s+(0x[0-9a-f]+): CFA=(.*?)(?:: (.*))?$", line).groups()
    register = re.fullmatch(r"([A-Z0-9]+)([+-]\d+)?", cfa)
    cfa = (register[1].lower(), int(register[2] or 0)) if register else operations(cfa)
    places = places or ""
    return Row(int(begin, 16), cfa, llvm_place("RBP", places), llvm_place("RIP", places))


@functools.lru_cache(None)
def find_llvm():
    """llvm-dwarfdump, None if there is none. Before version 16 restore_state left the CFA as it was."""
    for name in ("llvm-dwarfdump", *(f"llvm-dwarfdump-{n}" for n in range(22, 15, -1))):
        if shutil.which(name):
            text = subprocess.run([name, "--version"], stdout=subprocess.PIPE, text=True).stdout
            if int(re.search(r"version (\d+)", text)[1]) >= 16:
                return name
    return None


def by_llvm(path):
    text = subprocess.run([find_llvm(), "--eh-frame", path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    signal, functions = {}, []
    section, place = None, None
    for line in text.splitlines():
        if line.endswith(" contents:"):
            section = line.split()[0]
        elif re.match(r"[0-9a-f]{8} [0-9a-f]{8,16} [0-9a-f]{8,16} CIE", line):
            place = section, line.split()[0]
        elif line.startswith("  Augmentation:"):
            signal[place] = "S" in line.split('"')[1]
        elif " FDE cie=" in line:
            of, begin, end = re.search(r"cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.\.([0-9a-f]+)", line).groups()
            functions.append(Function(int(begin, 16), int(end, 16), signal[section, of], []))
        elif re.match(r"  0x[0-9a-f]+: CFA=", line):
            functions[-1].rows.append(llvm_row(line))
    return functions
