# SPDX-License-Identifier: GPL-2.0-only
"""Judges what a guest of old.sh sent back: judge.py FOLDER"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import checks  # noqa: E402

out = pathlib.Path(sys.argv[1])


def said(name):
    path = out / name
    return path.read_text(errors="replace") if path.exists() else ""


def share(text, function):
    """Percent of all, callees included."""
    found = re.search(r"^ *[\d.]+%% +([\d.]+)%%  %s " % function, text, re.M)
    return float(found[1]) if found else 0


def main():
    print("Linux %s" % said("release").strip())
    for user in "nobody", "root":
        text = said("command-" + user)
        told = text.count("BPF is refused here (") == 1 and "Sampling from outside at 99 Hz" in text
        checks.check("%s: it is said why, and that it is sampled from outside" % user, told, text)
        much, little = share(text, "much"), share(text, "little")
        # An emulated CPU takes so long for a look that the thread often gets it back meanwhile: [moved].
        print("  %s: %.1f and %.1f %%, which are 75 and 25 of what is whole" % (user, much, little))
        checks.check("%s: the program's own shares" % user,
                     text.endswith("exit code 0\n") and much > 5 and 0.65 < much / (much + little) < 0.85,
                     text)
        text = said("pid-" + user)
        checks.check("%s: --event wall of a process sees its sleep" % user,
                     text.endswith("exit code 0\n") and share(text, "nap") > 2, text)
    checks.check("doctor says what is left", "sampled from outside" in said("doctor"), said("doctor"))
    return checks.end()


sys.exit(main())
