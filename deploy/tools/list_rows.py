# SPDX-License-Identifier: GPL-2.0-only
"""A page of docs/ on stdout, made from a list: list_rows.py outcomes|frames|events|labels|states|formats|
doctor|findings."""
import collections
import re
import sys
import textwrap

PLACES = {"WHOLE": "in the profile", "NAMED": "in the profile, with a frame of that name",
          "MARKED": "in the profile, with a marker frame",
          "OUTSIDE": "not in the profile"}
MAPPINGS = {"INTERPRETER": "the file with the interpreter", "FILE": "the file that it is in",
            "NOWHERE": "none"}
TABLES = {"FUNCTIONS": "functions and lines", "NATIVE": "native code", "APART": "below the tables"}


def rows(path, macro):
    """Of each row the words that are no strings, and the strings."""
    text = re.sub(r"/\*.*?\*/", "", open(path).read(), flags=re.S)
    text = re.sub(r'"\s*\n\s*"', "", text)  # a string may go on in the next line
    for call in re.findall(macro + r"\((.*?)\)\s*$", text, flags=re.S | re.M):
        names = [w.strip() for w in re.sub(r'"[^"]*"', "", call).split(",") if w.strip()]
        yield names, re.findall(r'"([^"]*)"', call)


def fields(path, macro):
    """Of each row whose fields have names: their values, strings without quotes; and as "words" what stands
    before them."""
    text = re.sub(r"/\*.*?\*/", "", open(path).read(), flags=re.S)
    text = re.sub(r'"\s*\n\s*"', "", text)
    text = re.sub(r"\bTOTAL\((\w+)\)", r".total = \1", text)
    text = re.sub(r"\bSHOWN\((.*?)\),", r".shown = \1,", text)
    for call in re.findall("^(?:" + macro + r")\((.*?)\)\s*$", text, flags=re.S | re.M):
        found = re.findall(r'\.(\w+) =\s+(?:"([^"]*)"|([^",]+))', call)
        yield collections.defaultdict(str, {name: string or " ".join(word.split())
                                            for name, string, word in found},
                                      words=[word.strip(' "') for word in
                                             call.partition("\n\t.")[0].strip(",").split(",")])


def heading(title, text):
    print("# %s\n" % title)
    print(textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False) + "\n")


def outcomes():
    heading("What can become of a tick",
            "Made from `bpf/outcomes.def` and `bpf/stats.def` by `make docs/outcomes.md`. Every tick of the "
            "sampler ends in exactly one of these; `--stats` and `--stats-json` count them, and they add up "
            "to the ticks. A kind of event has whole groups of them in its books: [events.md](events.md).")
    print("| name in JSON | shown as | where | group | meaning |\n|---|---|---|---|---|")
    for row in fields("bpf/outcomes.def", "OUTCOME"):
        (name,), place = row["words"], row["place"].removeprefix("PLACE_")
        shown = f"`[{row['shown']}]`" if place in ("NAMED", "MARKED") else row["shown"]
        group = row["group"].removeprefix("GROUP_").lower()
        print(f"| `{name.lower()}` | {shown} | {PLACES[place]} | {group} | {row['help']} |")
    print("\n" + textwrap.fill(
        "With `--native` each sample in the profile also ends in one of these (`bpf/natives.def`), which "
        "says where it was in native code. `native` in `--stats-json` counts them.", 100))
    print("\n| name in JSON | shown as | meaning |\n|---|---|---|")
    for row in fields("bpf/natives.def", "NATIVE"):
        (name,), place = row["words"], row["place"].removeprefix("NATIVE_IS_")
        shown = {"MARKED": f"`[{row['shown']}]`", "FRAME": "its name", "NOTHING": ""}[place]
        print(f"| `{name.lower()}` | {shown} | {row['help']} |")
    print("\nCounters besides:\n\n| name in JSON | meaning |\n|---|---|")
    for names, texts in rows("bpf/stats.def", "STAT"):
        print(f"| `{names[0]}` | {texts[0]} |")


def frames():
    heading("What a frame can be",
            "Made from `bpf/frames.def` by `make docs/frames.md`. Every frame of a stack is of exactly one "
            "of these kinds. The kind decides how it is named, which mapping it has in pprof, its colour "
            "on the page, and where the summary has it.")
    print("| kind on the page | in the legend | colour | mapping in pprof | in the summary "
          "| what it is |")
    print("|---|---|---|---|---|---|")
    for row in fields("bpf/frames.def", "FRAME"):
        mapping, table = row["mapping"].removeprefix("MAPPING_"), row["table"].removeprefix("TABLE_")
        print(f"| `{row['key']}` | {row['shown']} | `{row['colour']}` | {MAPPINGS[mapping]} "
              f"| {TABLES[table]} | {row['help']} |")


def events():
    heading("What makes a sample",
            "Made from `bpf/events.def` by `make docs/events.md`. Each kind of event has roots of its own in "
            "the call tree, sample types of its own, and books of its own: those groups of "
            "[outcomes](outcomes.md), which add up to its total.")
    print("| kind | what happens | sample types in pprof | groups | total | in JSON | in metrics "
          "| pushed as |")
    print("|---|---|---|---|---|---|---|---|")
    for e in fields("bpf/events.def", "EVENT"):
        unit, groups = e["unit"].removeprefix("UNIT_").lower(), e["books"].replace("GROUP_", "").lower()
        types = ["%s/%s" % (e["type"], unit)] + ["%s/nanoseconds" % e["period"]] * bool(e["period"])
        cells = [f"`{e['key']}`", e["help"], ", ".join(f"`{t}`" for t in types), groups.replace(" |", ","),
                 f"`{e['total']}`", f"`{e['prefix']}outcomes`", f"`pyperf_{e['prefix']}outcomes_total`",
                 f"`{e['series']}`"]
        print("| " + " | ".join(cells) + " |")


def labels():
    heading("What a sample says about whose it is",
            "Made from `user/profile/labels.def` by `make docs/labels.md`. In pprof each sample has these "
            "labels, but for those whose value is not known or does not exist; the labels of pods that "
            "`--pod-label` names come on top. What is marked can be asked for over HTTP "
            "(`/debug/pprof/profile?pod=web-1`), and tells services apart where profiles are pushed (a "
            "label of the series).")
    print("| label | value | meaning | HTTP | pushed |\n|---|---|---|---|---|")
    for row in fields("user/profile/labels.def", "LABEL"):
        key, kind = row["words"]
        marks = ["x" if place in row["outputs"] else "" for place in ("IN_QUERY", "IN_SERIES")]
        print(f"| `{key}` | {kind} | {row['help']} | {' | '.join(marks)} |")


def states():
    heading("What the interpreter was doing at a sample",
            "Made from `bpf/states.def` by `make docs/states.md`. Samples of CPU time have these labels. "
            "They come from words that the sampler reads anyway, so no read is made for them alone; "
            "`--labels process` leaves them out, but for `import`, which comes from the frames. A word that "
            "says nothing sensible, or that cannot be read, only leaves its label out. They add "
            "some 16 to 20 ns to a sample of 470 (3.13, 22 frames, processor caches warm; "
            "`build/tests/bench/hot --states`); `gc`, which makes one read longer, adds 3 to 12 ns to those "
            "of 3.15.")
    print("| label | value | meaning |\n|---|---|---|")
    for (_, key), (value, about) in rows("bpf/states.def", "STATE"):
        print(f"| `{key}` | `{value}` | {about} |")
    print("| `import` | `yes` | a frame of the stack is `_find_and_load` of `importlib._bootstrap`, through "
          "which every import goes |")
    print("\nWhich versions can tell:\n")
    print("| label | versions | why not the others |\n|---|---|---|")
    print("| `gil` | 2.7, 3.6 and later | |")
    print("| `import` | 3.6 and later | 2.7 imports in C, without a frame |")
    print("| `exception` | 3.13 and later | before, the word for it is outside of what is read; where it is "
          "in a release newer than those of [versions.md](versions.md) somebody has to look up first |")
    print("| `gc` | 3.15 and later | before, the interpreter says that a collection runs but not in which "
          "thread: another one, which runs while a finalizer lets go of the GIL, would be labelled too; and "
          "up to 3.13 it would take one more read, some 80 ns |")
    print("\n" + textwrap.fill(
        "An exception that a generator or coroutine handles is noted in its own object, which is not read: "
        "its samples have no `exception`. `gc` is told of the thread that collects, where its leaf is the "
        "frame that the collection began in: finalizers and callbacks written in Python have a frame of "
        "their own above it and no label, those in C have it. Of free-threaded builds of 3.15 nobody has "
        "looked at it. Which thread waits for the GIL, and for whom, is not a matter of "
        "CPU time, since who waits sleeps: `--event gil` of [waiting.md](waiting.md) tells it.", 100,
        break_long_words=False, break_on_hyphens=False))
    print("\n" + textwrap.fill(
        "`go tool pprof -tagfocus gil=released` shows the time of C code that runs without the GIL, `-tags` "
        "the sum of each label, `-tagroot import` parts the graph by it; over HTTP, `?gil=released`. The "
        "summary's last table says of each thread, or process, how much of its CPU time it had the GIL, and "
        "how much it had let go of it:", 100, break_long_words=False, break_on_hyphens=False))
    print("""
    Threads of python3 (pid 14229)
      share          CPU  GIL held  released         tid  name
      50.3%       0.97 s        1.0%     99.0%     14230  python3
      49.2%       0.95 s      100.0%      0.0%     14231  python3

The first of these threads compresses by zlib, the second one reads JSON: only the second one keeps
others from running Python code.""")


def formats():
    heading("In which formats a profile can be had",
            "Made from `user/formats/formats.def` by `make docs/formats.md`. `--format` names one. Without "
            "it the suffix of `--output FILE` decides, or another ending that means the same. A file without "
            "an ending has the first, and an ending of no format is refused. Over HTTP `format=` names one. "
            "Profiles of intervals (`--output-dir`, `--push`) always have the first.")
    print("| name | suffix | also | Content-Type over HTTP | what it is | how to open it |\n"
          "|---|---|---|---|---|---|")
    for row in fields("user/formats/formats.def", "(?:DEFAULT_)?FORMAT"):
        _, name, suffix = row["words"]
        how = row["open"].removeprefix("Open it").lstrip(": ")
        also = ", ".join(f"`{ending}`" for ending in row["also"].split())
        print(f"| `{name}` | `{suffix}` | {also} | `{row['type']}` | {row['help']} | {how} |")


def doctor():
    heading("When it does not start: `pyperf-bpf doctor`",
            "The checks of this page are made from `user/doctor/checks.def` by `make docs/doctor.md`. "
            "`pyperf-bpf doctor` says line by line what a profile needs of this machine, whether it is "
            "there, and below what is missing what mends it. Then it says what is known of each Python "
            "process. A profile that cannot start for such a reason names it.")
    print("""    pyperf-bpf doctor                    this machine, and its Python processes
    pyperf-bpf doctor --pid 4711         this machine, and this process
    pyperf-bpf doctor --native full      is there memory enough for a run with this option, and what
                                         is known of the native code of each process?
    pyperf-bpf doctor --push URL         does the receiver answer?
    pyperf-bpf doctor --kubelet URL      does the kubelet?
    pyperf-bpf doctor --json             for programs

The programs are really loaded and attached for a moment, where nothing is missing before that. No
process is sampled. The exit code is 0 when nothing is missing, and 1 when something is. It takes
those options of a run that change what that needs; give it what the run gets.

## What is looked at

| check | what it is |
|---|---|""")
    for _, (name, about) in rows("user/doctor/checks.def", "CHECK"):
        print(f"| `{name}` | {about} |")
    print("""
The first word of a line is the result:

| word | meaning |
|---|---|
| `ok` | it is as it should be |
| `note` | it works, with less than there could be |
| `unknown` | it cannot be said, for want of something that another line names |
| `MISSING` | nothing can be profiled before this is mended; each line with `->` is one way to do it |

What is missing from `libcurl` on keeps a run from nothing but what these options ask for.

`receiver` sends a GET to where the profiles would go, with the lines of `--push-header-file`. Any
answer but 401, 403 and 407 will do, since receivers do not say what they think of a GET. `clock`
has what the kernel knows (`adjtimex`): in a virtual machine whose host sets the clock it may be
right although nobody there says so.
""")
    doctor_beyond()


def doctor_beyond():
    """Below the table."""
    print("""## Without root

    sudo /full/path/of/pyperf-bpf -a -d 10
    sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_dac_read_search+ep /full/path/of/pyperf-bpf

These are the two ways on. `doctor` writes both with the path of the program that was called, since
sudo does not look where pip and uv install. By the second one every user who may run that file can
look at all Python processes of the machine. The kernel does not heed it on a file system that is
mounted with nosuid. Before Linux 6.7 a kernel whose `kernel.perf_event_paranoid` is 3, as Debian's,
also wants `cap_sys_admin`, or a smaller number there; `doctor` then writes so.

## What is said of a process

The version of its Python; whether its [layout](internals/layouts.md) was proved on the process as
it runs, or the reason why not; whether it has a GIL; and from 3.8 on whether asyncio is loaded and
its tasks can be read. `not proved yet` is one that runs no Python code at the moment: it is looked
at again when it does. `refused` is shown as `[unsupported Python]` in a profile.

With `--native` each has a second line: how many files with code it has mapped; in how many of them
functions have names, and in how many all functions (`.symtab`, or a debug file); the files in which
callers cannot be found in a twentieth of the code or more (x86-64; eight parts of a large file
stand for all); whether there is code that was made at run time, and a file of names for it
(`/tmp/perf-PID.map`). [native.md](native.md) says what comes of each.

## JSON

[schemas/doctor.json](schemas/doctor.json) is the schema of `--json`. Its `checks` have all rows of
the table above, each time; those for which nothing was asked have the result `unasked`.
`can_profile` is about the checks before `libcurl`, `can_do_all` about all.""")


def findings():
    heading("What stands out in a profile",
            "Made from `user/findings/rules.def` by `make docs/findings.md`. `pyperf-bpf report --findings` "
            "says these sentences, at most five of them, the largest share first, and none where nothing "
            "stands out.")
    print("| code in JSON | it is said when | of | at least |\n|---|---|---|---|")
    for (code, least), (of, text) in rows("user/findings/rules.def", "RULE"):
        print(f"| `{code}` | {text} | {of} | {100 * float(least):.0f} % |")
    print("""
What is found by samples has to be beyond chance: its share is at least the last column even where
chance made it look larger (the lower end of the 95 % interval, which is in the sentence, as is what
lacks frames, where that is 1 % or more). What is counted event by event, such as waits, has no such
doubt. Besides, a sentence needs some tenths of a second of CPU time or of waits, and a part of the
time that passed: what is short is nobody's trouble. Which code is meant is listed in
`user/findings/marks.def`; code of other libraries, or in C without a symbol, is not seen.

A rule says what is so, not that it is wrong: a program that exists to convert JSON spends its time
on JSON. The line it names is the newest one of the program's own code, where there is one, and not
that of a library that it calls.

The command below a sentence has the same figure. `report --of CODE` shows the stacks that the
finding is about, and nothing else; a note says how much that is. A test runs the command of each
rule and compares the two.""")


if __name__ == "__main__":
    {"outcomes": outcomes, "frames": frames, "events": events, "labels": labels, "states": states,
     "formats": formats, "doctor": doctor, "findings": findings}[sys.argv[1]]()
