# SPDX-License-Identifier: GPL-2.0-only
"""The command lines of this program that stand in the pages, in `guide` and in --help, and what has to be put
into one so that it runs here: real processes, ports, folders and receivers for those that it names, and
half a second for its duration."""
import json
import re
import subprocess
from typing import NamedTuple

import profiler

PAGES = sorted(path for path in (*profiler.ROOT.glob("*.md"), *profiler.ROOT.glob("docs/**/*.md")))
# Lines of code blocks that name the program and are not run: what they begin with, and why.
NOT_RUN = {
    r"kubectl |helm ": "wants a cluster: tests/k8s",
    r"docker |cd deploy/kubernetes/base && kustomize ": "makes images: tests/k8s, tests/dist",
    r"systemctl ": "wants systemd: tests/guest/systemd.sh",
    r"uv tool install |pip install |dpkg -i |tar xzf |(# )?apt-get ": "installs: tests/dist",
    r"sudo ": "tests/e2e/commands/test_first_minutes.py runs the two lines, doctor those with its own path",
    r"pkill ": "ends others' programs: tests/e2e/serving/test_log.py sends the signal",
    r"PYPERF=": "runs tests",
    r"[$#] ": "what somebody saw whom something failed: tests/e2e/commands/test_first_minutes.py",
    r"(base|new): |pyperf-bpf: |pyperf_bpf\.|sudo: |Setting up |-> ": "what is said",
    r"pyperf-bpf doctor --kubelet URL": "wants a kubelet's token: tests/e2e/containers/test_pod_labels.py",
    r"pyperf-bpf (report|diff .*) 'pyroscope\+":
        "wants a Pyroscope with profiles: tests/e2e/push/test_receivers.py",
    r"- job_name: |\{\"mcpServers\"|\"(command|answer)\": |output-dir = |push-header-file = |# /etc":
        "a line of a file or an answer",
    r"pyperf-bpf-2026|go tool pprof ": "names files: tests/e2e/output reads such with pprof",
}
PROCESS = r"(--pid|-p) (PID|\d+(?:,\d+)*)\b"


class Line(NamedTuple):
    """where: the page, or the words whose --help it is in; text: as it is printed, without what is said of it
    beside it."""

    where: str
    text: str


def without_remark(text):
    """A remark stands after two spaces and more, or after a #."""
    return re.split(r" {2,}(?=\S)| # ", text.strip())[0].strip()


def of_page(where, text):
    """All lines of its code blocks with the program's name in them; those that \\ ends go on."""
    for line in re.findall(r"^    +(.*)$", text.replace("\\\n", ""), re.M):
        if re.search(r"\bpyperf-bpf\b", without_remark(line)):
            yield Line(where, without_remark(line))


def is_left_out(line):
    return any(re.match(start, line.text) for start in NOT_RUN)


def said(*words):
    return subprocess.run([profiler.BINARY, *words], capture_output=True, text=True, check=True,
                          timeout=300).stdout


def everything():
    """Each line once, from where it stands first; those that differ only in the process are one."""
    names = re.findall(r"^  (\w+)  ", said("--help").split("\nCommands ")[1].split("\n\n")[0], re.M)
    lines = [line for page in PAGES
             for line in of_page(str(page.relative_to(profiler.ROOT)), page.read_text())]
    lines += [Line("guide", row["command"]) for row in json.loads(said("guide", "--json"))["guide"]]
    for words in [(), *((name,) for name in names)]:
        lines += [Line(" ".join((*words, "--help")), without_remark(text))
                  for text in re.findall(r"^  (pyperf-bpf .*)$", said(*words, "--help"), re.M)]
    return list({re.sub(PROCESS, "-p PID", line.text): line for line in reversed(lines)}.values())[::-1]


class Place(NamedTuple):
    """What is there for the lines. pids: two processes; url, socket: of a profiler that serves; receivers:
    {scheme: authority}; etc: a folder in the place of /etc/pyperf-bpf; speedscope: its release."""

    pids: list
    url: str
    socket: str
    receivers: dict
    etc: str
    speedscope: str


def command_of(text):
    """Its first word, which says what it does."""
    word = text.split()[1]
    return word if re.fullmatch("[a-z]+", word) and word != "profile" else ""


def shortened(text):
    """With half a second for its duration: until Ctrl-C is as long as any other."""
    if command_of(text) not in ("", "top"):
        return text
    text = re.sub(r" (-d|--duration)[ =]\S+", "", text)
    own, dashes, rest = text.partition(" -- ")
    if dashes and not rest.startswith("gunicorn"):
        return text
    words = own.split(" ")
    at = 2 if command_of(text) else 1
    return " ".join([*words[:at], "-d", "0.5", *words[at:]]) + dashes + rest


def filled(text, place, port, folder):
    """port: a free one; folder: an empty one that may be written to."""
    def processes(match):
        asked = match[2].split(",")
        return "%s %s" % (match[1], ",".join(map(str, place.pids[:len(asked)])))

    text = re.sub(PROCESS, processes, shortened(text))
    text = re.sub(r"\b(pyroscope|parca|otlp)\+https?://[\w.:]+",
                  lambda match: "%s+http://%s" % (match[1], place.receivers[match[1]]), text)
    text = re.sub(r"(--push) URL", lambda match: "--push parca+http://" + place.receivers["parca"], text)
    text = text.replace("http://127.0.0.1:7070", place.url).replace("unix:/run/p", "unix:" + place.socket)
    text = re.sub(r'(--listen ["\w*:]*?)7070', lambda match: match[1] + str(port), text)
    text = re.sub(r"/var/(tmp|lib)/", lambda match: "%s/" % folder, text)
    text = text.replace("package/dist/release", place.speedscope)
    return text.replace("/etc/pyperf-bpf/", place.etc + "/")
