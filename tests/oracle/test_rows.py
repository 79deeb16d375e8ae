# SPDX-License-Identifier: GPL-2.0-only
"""How the caller of each instruction is found: every row of every function of .eh_frame is compared with
readelf, and with llvm-dwarfdump where that is there, for every library that the interpreters of the tests
load. The rule that a row should have is worked out here from the text that those print."""
import collections
import itertools
import subprocess

import pytest

import call_frames
import elf_files
import profiler

TOOL = profiler.BUILD / "tests/oracle/rows"
# The interpreters' own do not have every kind of rule, nor .debug_frame; these two files have.
CORPUS = profiler.ROOT / "tests/fuzz/corpus/rows"
FILES = [*elf_files.libraries(), *map(str, sorted(CORPUS.glob("*.so")))]
REGISTERS = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split()

# bpf/abi/native.h
SP, BP, REGISTER, SPECIAL = range(4)
UNKNOWN, ROOT, SIGNAL, PLT, DEREF, DEREF_SP, SP_FAR = range(7)
SLOT_SAME, SLOT_MAX, SLOT_AT_BP, SLOT_LOST = 0, 29, 30, 31


def rule(kind, argument, slot):
    return kind << 18 | argument << 5 | slot


def small(kind, which, argument, slot):
    return rule(kind, which << 9 | argument, slot)


NOTHING = small(SPECIAL, UNKNOWN, 0, 0)


def slot(bp):
    if bp == "same":
        return SLOT_SAME
    if bp == ["breg6 0"]:
        return SLOT_AT_BP
    if isinstance(bp, int) and bp % 8 == 0 and 0 < -bp // 8 <= SLOT_MAX:
        return -bp // 8
    return SLOT_LOST


def by_expression(cfa, saved):
    """The rule, or why there is none."""
    words = [operation.split() for operation in cfa]
    if [w[0] for w in words] == ["breg6", "deref"] and -511 * 8 <= int(words[0][1]) <= 0 and \
            int(words[0][1]) % 8 == 0:
        return small(SPECIAL, DEREF, -int(words[0][1]) // 8, saved)
    if cfa[1:] == ["deref", "plus_uconst 8"] and words[0][0] == "breg7" and \
            -256 * 8 <= int(words[0][1]) <= 255 * 8 and int(words[0][1]) % 8 == 0:
        return small(SPECIAL, DEREF_SP, int(words[0][1]) // 8 & 511, saved)
    lit = words[4][0] if len(words) == 9 else ""
    if lit.startswith("lit") and int(lit[3:]) < 16 and \
            cfa == ["breg7 8", "breg16 0", "lit15", "and", lit, "ge", "lit3", "shl", "plus"]:
        return small(SPECIAL, PLT, int(lit[3:]), saved)
    return "CFA by " + ", ".join(cfa)


def expected_rule(function, row):
    """What the product should say of a row; or, in a text, why it can say nothing."""
    if function.signal and row.cfa == ["breg7 160", "deref"]:
        return small(SPECIAL, SIGNAL, 0, 0)
    if row.ip == "undefined":
        return small(SPECIAL, ROOT, 0, 0)
    if row.ip != -8:
        return "return address elsewhere"
    if isinstance(row.cfa, list):
        return by_expression(row.cfa, slot(row.bp))
    register, offset = row.cfa
    words = offset // 8
    if offset % 8 or offset < 0 or register not in REGISTERS:
        return f"CFA at {register}{offset:+}"
    if register in ("rsp", "rbp") and words < 1 << 13:
        return rule(SP if register == "rsp" else BP, words, slot(row.bp))
    if register == "rsp" and words - (1 << 13) < 1 << 9:
        return small(SPECIAL, SP_FAR, words - (1 << 13), slot(row.bp))
    if register not in ("rsp", "rbp") and words < 1 << 9:
        return small(REGISTER, REGISTERS.index(register), words, slot(row.bp))
    return f"CFA at {register}{offset:+}"


def ranges(function):
    """(begin, end, row) of each row that covers something of the function."""
    ends = [row.begin for row in function.rows[1:]] + [function.end]
    for row, end in zip(function.rows, ends):
        if row.begin < min(end, function.end):
            yield row.begin, min(end, function.end), row


class Expected:
    def __init__(self, path, functions):
        code = elf_files.Code(path)
        self.changes = [] # (offset, rule), where one differs from that before
        self.count = self.lost = 0
        self.reasons = collections.Counter()
        # The lowest begin counts, and then the first in the file.
        found = [(code.offset(f.begin, f.end - f.begin), n, f) for n, f in enumerate(functions)
                 if f.end > f.begin and code.offset(f.begin, f.end - f.begin) is not None]
        done = 0
        for offset, _, function in sorted(found, key=lambda f: f[:2]):
            self.add(done, offset, NOTHING)
            for begin, end, row in ranges(function):
                begin, end = (x - function.begin + offset for x in (begin, end))
                self.add(max(done, begin), end, self.judge(function, row))
            done = max(done, offset + function.end - function.begin)
        self.add(done, done + 1, NOTHING)

    def judge(self, function, row):
        r = expected_rule(function, row)
        self.count += 1
        if isinstance(r, str):
            self.reasons[r] += 1
            return NOTHING
        if r >> 18 != SPECIAL or r >> 14 & 15 >= PLT:
            self.lost += r & 31 == SLOT_LOST
        return r

    def add(self, begin, end, r):
        if begin < end and (not self.changes or self.changes[-1][1] != r):
            self.changes.append((begin, r))


def product(path):
    out = subprocess.run([TOOL, path], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [tuple(int(word, 16) for word in line.split()) for line in out.splitlines()]


def compare(path, functions, kind=Expected):
    expected = kind(path, functions)
    assert expected.count > 0
    pairs = itertools.zip_longest(product(path), expected.changes)
    wrong = next(((mine, right) for mine, right in pairs if mine != right), None)
    assert not wrong, "at an offset, a rule: %s; expected %s" % tuple(
        "%x %x" % x if x else None for x in wrong)
    unsaid = sum(expected.reasons.values())
    print(f"{path}: {expected.count} rows, of which cannot be said {unsaid} "
          f"({100 * unsaid / expected.count:.2f} %), rbp lost in {expected.lost}",
          *[f"\n    {n} {reason}" for reason, n in expected.reasons.most_common(5)])
    return expected


@pytest.mark.parametrize("path", FILES)
def test_every_row_of_readelf(path):
    compare(path, call_frames.by_readelf(path))


@pytest.mark.parametrize("path", FILES)
def test_every_row_of_llvm(path):
    if not call_frames.find_llvm():
        pytest.skip("SKIP llvm: no llvm-dwarfdump of version 16 or newer (Debian package llvm-19)")
    compare(path, call_frames.by_llvm(path))
