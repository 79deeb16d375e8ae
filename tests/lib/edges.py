# SPDX-License-Identifier: GPL-2.0-only
"""Judges sampled stacks of tests/workloads/edges.py by the notes in its source (its docstring has the rules).

Notes have qualified names. Up to 3.10 a code object knows only the last part of its own, so there only that
is compared.

Works on what the program printed about itself, so that the judgement uses the code tables of the very
interpreter that ran. A stack is a list of (function, file, first line, line), leaf first.
"""
import re

NOTE = re.compile(r"#(?: -> (?P<callees>.*?))?(?: \| under (?P<under>\S+))?(?:\s+# noqa.*)?$")
GENERATED = re.compile(r"gen_(\d{6})\.py$")  # files that workloads/cache makes
ROOTS_OF_THREADS = ("Thread._bootstrap",)


class Judge:
    """One running instance of the program. about: the line of JSON it printed, parsed."""

    def __init__(self, about):
        self.main = next(iter(about["files"]))
        self.qualified = about["qualified"]
        self.patterns = set(about["patterns"])
        self.entries = {self.name(caller): {self.name(n) for n in names}
                        for caller, names in about["entries"].items()}
        self.thread_roots = {self.name(name) for name in about.get("thread_roots", ROOTS_OF_THREADS)}
        self.files = set(about["files"])
        self.codes = {}  # (file, function, first line) -> lines
        self.callees = {}  # (file, line) -> names
        self.under = {}  # (file, line) -> name
        for name, described in about["files"].items():
            for function, first, lines in described["codes"]:
                # A frame that has not begun is in its first line, which may hold no instruction. It covers
                # nothing up: a line that is not known is 0.
                self.codes[name, function, first] = set(lines) | {first}
            for number, text in enumerate(described["source"].split("\n"), 1):
                note = NOTE.search(text) if "# ->" in text else None
                self.callees[name, number] = {self.name(n)
                                              for n in note["callees"].split(", ")} if note else set()
                if note and note["under"]:
                    self.under[name, number] = note["under"]

    def name(self, qualified):
        return qualified if self.qualified else qualified.rpartition(".")[2]

    def ours(self, frame):
        return frame[1] in self.files

    def lacks_line(self, frame):
        """Whether the line of a frame of the program itself is unknown: its code was gone before its line
        table could be read."""
        function, name, first, line = frame
        return line == 0 and 0 not in self.codes.get((name, function, first), {0})

    def frame_fault(self, frame):
        """What is wrong with one frame of the program itself, or None."""
        function, name, first, line = frame
        lines = self.codes.get((name, function, first))
        if lines is None:
            return "no such function"
        return None if line in lines else "line is not in the function"

    def edge_fault(self, caller, callee):
        if not self.ours(caller):
            legal = not self.ours(callee) or callee[0] in self.entries.get(caller[0], ())
            return None if legal else "the standard library does not call this"
        # A module begins in line 0 (3.11), from where nothing is called.
        names = self.callees.get((caller[1], caller[3]), set())
        if not self.ours(callee):
            return None if "*stdlib" in names else "no call of the standard library here"
        legal = callee[0] in names or ("*patterns" in names and callee[0] in self.patterns)
        return None if legal else "not called from this line"

    def root_fault(self, root):
        if root[0] == "<module>" and root[1] == self.main:
            return None
        return None if root[0] in self.thread_roots and not self.ours(root) else "not a root"

    def faults(self, stack, rooted=True, may_lack_lines=False):
        """[(reason, frame or edge)] of one stack; empty when every part of it is legal. may_lack_lines: a
        line that is unknown is no fault; whoever allows that counts them (lacks_line())."""
        found = []
        for position, frame in enumerate(stack):
            if self.ours(frame) and not (may_lack_lines and self.lacks_line(frame)):
                fault = self.frame_fault(frame)
                if fault:
                    found.append((fault, frame))
                    continue
                needed = self.under.get((frame[1], frame[3]))
                if needed and rooted and needed not in (caller[0] for caller in stack[position + 1:]):
                    found.append(("not under " + needed, frame))
            if (position + 1 < len(stack) and
                not (self.ours(stack[position + 1]) and self.frame_fault(stack[position + 1])) and
                not (may_lack_lines and self.lacks_line(stack[position + 1]))):
                fault = self.edge_fault(stack[position + 1], frame)
                if fault:
                    found.append((fault, (stack[position + 1], frame)))
        if rooted and (not stack or self.root_fault(stack[-1])):
            found.append(("not a root", stack[-1] if stack else None))
        return found


class CacheJudge(Judge):
    """For tests/workloads/cache: knows the roots of threads and greenlets, and the files that recycled.py and
    interpreters.py make."""

    def __init__(self, about):
        super().__init__(about)
        self.roots, self.pid = about["roots"], about["pid"]

    def root_fault(self, root):
        if self.ours(root) and root[0] in self.roots or root[0] == "<module>" and root[1].startswith("<"):
            return None
        return super().root_fault(root)

    def faults(self, stack, rooted=True):
        found = super().faults(stack, rooted)
        generated = [frame for frame in reversed(stack) if GENERATED.search(frame[1])]
        numbers = {GENERATED.search(frame[1])[1] for frame in generated}
        legal = ["<module>", "fn_%s" % min(numbers, default=""), "same"][:len(generated)]
        if len(numbers) > 1 or [frame[0] for frame in generated] != legal:
            found.append(("not of one file", tuple(generated)))
        return found
