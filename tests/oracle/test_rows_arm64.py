# SPDX-License-Identifier: GPL-2.0-only
"""How the caller of each instruction is found in files for arm64: every row of every function of .eh_frame is
compared with readelf, for libraries of the cross-compiler. It needs no machine of that kind. As in
test_rows.py, the rule that a row should have is worked out here from the text that readelf prints."""
import glob
import re

import pytest

import call_frames
import elf_files
from test_rows import NOTHING, ROOT, SP, BP, SPECIAL, SP_FAR, Expected, compare, rule, small

LIBRARIES = [path for name in ("libc.so.6", "libgcc_s.so.1", "libm.so.6")
             for path in glob.glob("/usr/aarch64-linux-gnu/lib/" + name)]
PAIR, LINK = 2, 7
SLOT_SAME, AT_SP, SLOT_MAX, AT_BP = 0, 1, 29, 30
PLT_HEADER = 32


def with_slot(base, offset, slot):
    words = offset // 8
    if offset % 8 or offset < 0:
        return f"CFA at {base}{offset:+}"
    if words < 1 << 13:
        return rule(SP if base == "sp" else BP, words, slot)
    if base == "sp" and words - (1 << 13) < 1 << 9:
        return small(SPECIAL, SP_FAR, words - (1 << 13), slot)
    return f"CFA at {base}{offset:+}"


def expected_rule(row):
    """What the product should say of a row; or, in a text, why it can say nothing."""
    if row.ip == "undefined":
        return small(SPECIAL, ROOT, 0, 0)
    base, offset = row.cfa if isinstance(row.cfa, tuple) else ("expression", 0)
    if base not in ("sp", "x29"):
        return f"CFA by {base}"
    if row.ip == "same":
        return with_slot(base, offset, SLOT_SAME) if row.bp == "same" else "x29 alone"
    if not isinstance(row.ip, int):
        return f"return address {row.ip}"
    if row.bp == "same":
        if base == "sp" and offset % 16 == 0 and offset // 16 < 512 and -row.ip <= min(offset, 31 * 8):
            return small(SPECIAL, LINK, offset // 16, -row.ip // 8)
        return "x30 alone"
    if row.bp != row.ip - 8:
        return "no pair"
    if -row.bp == offset:
        return with_slot(base, offset, AT_SP if base == "sp" else AT_BP)
    if -row.bp // 8 <= SLOT_MAX:
        return with_slot(base, offset, -row.bp // 8)
    at = offset + row.bp
    if base == "sp" and offset % 16 == 0 and at % 16 == 0 and offset < 1 << 14 and 0 <= at < 1 << 12:
        return PAIR << 18 | offset // 16 << 8 | at // 16
    return "a pair elsewhere"


def place(word):
    found = re.fullmatch(r"c([+-]\d+)", word)
    return int(found[1]) if found else "same" if word in ("u", "s") else "other"


def rows(lines, rootless):
    for begin, row in call_frames.interpreted_rows(lines):
        cfa = re.fullmatch(r"(\w+)([+-]\d+)", row["CFA"])
        ip = place(row.get("ra", "u"))
        ip = "undefined" if rootless and ip == "same" else ip
        yield call_frames.Row(begin, (cfa[1], int(cfa[2])) if cfa else ["exp"],
                              place(row.get("x29", "u")), ip)


def functions_of(path):
    """As call_frames.by_readelf(). It prints "u" for x30 both when nothing is said and when it is lost."""
    common, functions = {}, []
    for heading, lines, instructions in call_frames.readelf_entries(path):
        if heading.startswith("Contents of "):
            common = {}
            continue
        own = list(rows(lines, any("DW_CFA_undefined: r30" in line for line in instructions)))
        if " CIE " in heading:
            common[heading.split()[0]] = own, heading.endswith(" ra=30")
            continue
        of, begin, end = call_frames.described(heading)
        own, usual = own or [r._replace(begin=begin) for r in common[of][0]], common[of][1]
        functions.append(call_frames.Function(begin, end, False,
                                              own if usual else [r._replace(ip="elsewhere") for r in own]))
    return functions + list(linkage_table(path))


def linkage_table(path):
    """Its entries have no call frames: they leave everything where it is."""
    for line in elf_files.readelf("-S", path).splitlines():
        words = line.replace("[ ", "[").split()
        if words[1:2] == [".plt"]:
            begin, size = int(words[3], 16) + PLT_HEADER, int(words[5], 16) - PLT_HEADER
            yield call_frames.Function(begin, begin + size, False,
                                       [call_frames.Row(begin, ("sp", 0), "same", "same")])


class Arm64(Expected):
    def judge(self, function, row):
        said = expected_rule(row)
        self.count += 1
        if isinstance(said, str):
            self.reasons[said] += 1
            return NOTHING
        return said


@pytest.mark.parametrize("path", LIBRARIES or [None])
def test_every_row(path):
    if not path:
        pytest.skip("SKIP arm64: no libraries of the cross-compiler (libc6-arm64-cross)")
    expected = compare(path, functions_of(path), Arm64)
    assert expected.count > 100 and sum(expected.reasons.values()) <= expected.count / 200
