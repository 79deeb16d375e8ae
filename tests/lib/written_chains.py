# SPDX-License-Identifier: GPL-2.0-only
"""The judge of the chains of calls that tests/workloads/native/chains.py writes down: whether the samples of
a run have them, and nothing else. A run has samples, and the path of its profile."""
import collections
import os

from native_frames import INCOMPLETE, NOT_LOADED, Native, short_names

LIBC = "{libc}"
STUB = "{stub or} far_away"
ABOVE = ("spin", "hidden", "static_function")  # of the function of C that all calls of "within" lead to


def is_frame(frame, written):
    """Whether a frame of a profile is the one that is written down."""
    name, file = frame[:2]
    if written == LIBC:
        return os.path.basename(file).startswith("libc")
    if written == STUB:
        return name == "far_away" or name.startswith("chains.so")  # arm64's stubs have no call frames
    return name == written


def is_chain(frames, written):
    if written[0] == STUB and len(frames) == 1:  # between two calls
        written = written[1:]
    return len(frames) == len(written) and all(map(is_frame, frames, written))


class Chains:
    """What the samples say of the chains. wrong: by the stack; prefix: by what is between Python and C."""

    def __init__(self, run, about, directory):
        self.about, self.directory = about, str(directory)
        self.right, self.wrong, self.prefix = (collections.Counter() for _ in range(3))
        self.loading = self.outside = 0
        native = Native(run)
        for sample in run.samples:
            frames, rest = native.split(sample.stack)
            if rest and rest[0][0] == "call":
                self.judge(frames, sample.count)

    def judge(self, frames, count):
        if any(frame[0] == NOT_LOADED for frame in frames):
            self.loading += count
            return
        mine = [at for at, frame in enumerate(frames) if frame[1].startswith(self.directory)]
        if not mine:
            self.outside += count  # ctypes and the interpreter, before the call and behind it
            return
        whole, prefix = frames[:mine[-1] + 1], frames[mine[-1] + 1:]
        entry = whole[-1][0]
        written = self.about["whole"].get(entry)
        if prefix and prefix[-1][0] == INCOMPLETE:
            entry = next((e for e, w in self.about["broken"].items() if is_chain(frames, w)), None)
            written, whole = self.about["broken"].get(entry), frames
        else:
            self.prefix[tuple(frame[0] for frame in prefix)] += count
        if written and is_chain(whole, written):
            self.right[entry] += count
        else:
            self.wrong[" < ".join(frame[0] for frame in frames)] += count

    def check(self, share, least=50):
        """Each chain was met, and nearly every sample is right."""
        everything = sum(self.right.values()) + sum(self.wrong.values()) + self.outside
        entries = {*self.about["whole"], *self.about["broken"]}
        print("right %d, outside %d, not loaded %d, wrong %s" % (
            sum(self.right.values()), self.outside, self.loading, self.wrong.most_common(5)))
        assert everything > least * len(entries), (everything, entries)
        assert set(self.right) == entries, entries ^ set(self.right)
        # By far the most time goes by in the chains; what is outside is no fault.
        assert sum(self.right.values()) >= share * everything, self.wrong.most_common(5)
        assert min(self.right.values()) > 0.3 * everything / len(entries), self.right
        # What is between a Python frame and the function that it calls is always the same.
        assert self.prefix.most_common(1)[0][1] >= share * sum(self.prefix.values()), self.prefix


def merged(run, directory):
    """{names of the Python frames and of the library's own, leaf first: samples} of the samples in spin(), to
    which all calls lead. Those in which something was not loaded are left out."""
    native, found = Native(run), collections.Counter()
    for sample in run.samples:
        if sample.stack[0][0] == "spin" and not any(frame[0] == NOT_LOADED for frame in sample.stack):
            mine = [frame for frame in sample.stack
                    if not native.is_native(frame) or frame[1].startswith(str(directory)) or
                    frame[0].startswith("[native")]
            found[tuple(short_names(mine))] += sample.count
    return found


def is_nearly_always(found, expected, least=500):
    right = found[tuple(expected)]
    for stack, count in found.most_common(3):
        # Where it leaves the expected one, from the root.
        at = next((i for i, (a, b) in enumerate(zip(stack[::-1], expected[::-1])) if a != b), len(stack))
        print("%d samples: %d frames of %d, then %s" % (count, at, len(stack), stack[::-1][at:at + 6]))
    return right >= 0.99 * sum(found.values()) > least
