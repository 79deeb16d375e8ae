# SPDX-License-Identifier: GPL-2.0-only
"""The rows of user/formats/formats.def, and a reader for each."""
import collections
import json
import re
import xml.etree.ElementTree

import lists
import otlp
import pprof

# type: Content-Type over HTTP.
Format = collections.namedtuple("Format", "name suffix type")

FORMATS = [Format(name, suffix, field["type"])
           for (_, name, suffix), field in lists.fields("user/formats/formats.def", "(?:DEFAULT_)?FORMAT")]
DEFAULT = FORMATS[0]
SVG = "{http://www.w3.org/2000/svg}"


def by_name(format):
    return format.name


def read_pprof(data):
    """{function names, root first: samples}"""
    found = collections.Counter()
    for sample in pprof.parse(data).samples:
        found[tuple(sample.names)] += sample.count
    return found


def read_folded(data):
    """The same of lines "process (pid N);thread (tid N);function (file:line);... samples"."""
    found = collections.Counter()
    for line in data.decode().splitlines():
        match = re.fullmatch(r"(.+ \(pid \d+\));(.+ \(tid \d+\));(.+) (\d+)", line)
        assert match, line
        found[tuple(frame.partition(" (")[0] for frame in match[3].split(";"))] += int(match[4])
    return found


def read_pyspy(data):
    """The same of lines 'process N:"name";thread (tid N);function (/whole/path:line);... samples', taken
    apart as the extension vscode-flamegraph does it: a frame is a name, and perhaps a file with a line."""
    found = collections.Counter()
    for line in data.decode().splitlines():
        stack, _, count = line.rpartition(" ")
        process, thread, *frames = re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', stack)
        assert re.fullmatch(r'process \d+:"[^"]*"', process) and re.search(r" \(tid \d+\)$", thread), line
        pattern = r"(.+?)(?:\s+\(([^)]+?)(?::(\d+))?\))?"
        parts = [re.fullmatch(pattern, frame).groups() for frame in frames]
        assert all(not file or file[0] in "/<[" for _, file, _ in parts), line
        found[tuple(name for name, _, _ in parts)] += int(count)
    return found


def read_speedscope(data):
    """The same of profiles by thread, whose weights are times: a sample weighs a period."""
    found, file = collections.Counter(), json.loads(data)
    names = [frame["name"] for frame in file["shared"]["frames"]]
    for profile in file["profiles"]:
        assert profile["unit"] == "nanoseconds" and sum(profile["weights"]) == profile["endValue"]
        for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
            count, rest = divmod(weight, profile["period"])
            assert not rest
            found[tuple(names[frame] for frame in stack)] += count
    return found


def read_otlp(data):
    """The same of OpenTelemetry's profiles."""
    found = collections.Counter()
    for sample in otlp.parse(data).samples:
        found[tuple(frame.function for frame in reversed(sample.frames))] += sample.values["samples", "count"]
    return found


def read_firefox(data):
    """The same of threads whose samples weigh so many ticks."""
    found, file = collections.Counter(), json.loads(data)
    shared = file["shared"]
    names = [shared["stringArray"][name] for name in shared["funcTable"]["name"]]
    table, stacks = shared["stackTable"], []
    for frame, offset in zip(table["frame"], table["prefixOffset"], strict=True):
        caller = stacks[len(stacks) - offset] if offset else ()
        stacks.append((*caller, names[shared["frameTable"]["func"][frame]]))
    for thread in file["threads"]:
        samples = thread["samples"]
        for stack, weight in zip(samples["stack"], samples["weight"], strict=True):
            found[stacks[stack]] += weight
    return found


def read_html(data):
    """The same of the table of nodes in the file, of the first kind of event."""
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', data.decode(), re.S)[1]
    found, graph = collections.Counter(), json.loads(text)[0]
    names = [graph["strings"][name] for name in graph["functions"]["name"]]
    nodes, path = graph["nodes"], []
    for depth, of, own in zip(nodes["depth"], nodes["of"], nodes["self"], strict=True):
        path[max(depth - 1, 0):] = [names[of]] if depth else []
        if own:
            found[tuple(path)] += own
    return found


def read_svg(data):
    """The same of the frames of the first graph: what is not that of a callee is a frame's own."""
    found, path, top, heads = collections.Counter(), [], None, 0
    for group in xml.etree.ElementTree.fromstring(data):
        heads += group.tag == SVG + "text"
        if group.tag != SVG + "g" or heads > 1:
            continue
        rect = group.find(SVG + "rect")
        match = re.fullmatch(r"(.*?)(?: \([^()]*?(?::\d+)?\))?: (\d+) samples?, [0-9.]+ %",
                             group.find(SVG + "title").text)
        y = int(rect.get("y"))
        top = y if top is None else top
        depth = (y - top) // 18
        path[depth:] = [match[1]]
        if depth:
            found[tuple(path[1:])] += int(match[2])
        if depth > 1:
            found[tuple(path[1:-1])] -= int(match[2])
    return +found


# A format without a reader makes the tests fail that go over all of them.
READERS = {"pprof": read_pprof, "folded": read_folded, "pyspy": read_pyspy, "speedscope": read_speedscope,
           "firefox": read_firefox, "otlp": read_otlp, "html": read_html, "svg": read_svg}


def read(format, data):
    assert format.name in READERS, "%s needs a reader for the format %s" % (__file__, format.name)
    return READERS[format.name](data)
