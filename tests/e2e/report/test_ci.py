# SPDX-License-Identifier: GPL-2.0-only
"""deploy/ci: the steps of the action for GitHub and of the job for GitLab, run here in a clone of a program
with a branch that makes it slower."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest
import yaml

import interpreters as known
import profiler

CI = profiler.ROOT / "deploy" / "ci"
PROGRAM = """
import time

def steady():
    end = time.process_time() + 0.4
    while time.process_time() < end:
        sum(range(500))

def changed():
    end = time.process_time() + SECONDS
    while time.process_time() < end:
        sum(range(500))

steady()
changed()
"""


def git(folder, *words):
    someone = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
    done = subprocess.run(["git", "-C", folder, *someone, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(folder, text, message):
    (folder / "app.py").write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "-qm", message)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """main has gone on since the branches left it: one makes it slower, and one only moves lines."""
    folder = tmp_path_factory.mktemp("ci") / "clone"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "ci").mkdir()
    shutil.copy(CI / "compare.sh", folder / "ci")
    commit(folder, PROGRAM.replace("SECONDS", "0.4"), "one")
    git(folder, "checkout", "-qb", "slower")
    commit(folder, PROGRAM.replace("SECONDS", "1.2"), "slower")
    git(folder, "checkout", "-qb", "moved", "main")
    commit(folder, "# A remark.\n\n" + PROGRAM.replace("SECONDS", "0.4"), "moved")
    git(folder, "checkout", "-q", "main")
    commit(folder, PROGRAM.replace("SECONDS", "0.1"), "gone on")
    return folder


@pytest.fixture
def path(tmp_path):
    """With pyperf-bpf, git and a Python, and no sudo."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, program in (("pyperf-bpf", profiler.BINARY), ("python3", known.usual().path)):
        (folder / name).symlink_to(program)
    (folder / "sudo").write_text("#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n")
    (folder / "sudo").chmod(0o755)
    return "%s:%s" % (folder, os.environ["PATH"])


def compare(clone, tmp_path, path, **environment):
    surroundings = {"PATH": path, "HOME": str(tmp_path), "OUT": str(tmp_path / "out"), **environment}
    return subprocess.run(["sh", clone / "ci" / "compare.sh"], cwd=clone, env=surroundings,
                          capture_output=True, text=True, timeout=300)


def filled(text, names):
    """${{ expressions }} of names alone."""
    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda match: names[match[1]], text)


def run_action(clone, tmp_path, path, **inputs):
    """The steps of the action, as a runner runs them. Returns exit code, outputs, and the summary."""
    action = yaml.safe_load((CI / "action.yml").read_text())
    names = {"runner.temp": str(tmp_path),
             "github.event.pull_request.base.sha": git(clone, "rev-parse", "main")}
    for name, about in action["inputs"].items():
        assert not about.get("required") or name in inputs
        names["inputs." + name] = inputs.get(name, filled(about.get("default", ""), names))
    files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    for file in files.values():
        file.touch()
    code = 0
    for step in action["runs"]["steps"]:
        assert step["shell"] == "sh"
        environment = {name: filled(value, names) for name, value in step.get("env", {}).items()}
        surroundings = {"PATH": path, "HOME": str(tmp_path), "GITHUB_ACTION_PATH": str(CI), **environment,
                        **{name: str(file) for name, file in files.items()}}
        code = subprocess.run(["sh", "-e", "-c", step["run"]], cwd=clone, env=surroundings).returncode
        if code:
            break
    outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
    for about in action["outputs"].values():
        name = re.fullmatch(r"\$\{\{ steps\.compare\.outputs\.(\w+) \}\}", about["value"])[1]
        assert name in outputs
    return code, outputs, files["GITHUB_STEP_SUMMARY"].read_text()


def test_the_action(clone, tmp_path, path):
    """It fails for the slower branch, compared with where that left main, and says which function it is."""
    git(clone, "checkout", "-q", "slower")
    inputs = {"command": "python3 app.py", "fail-over": "20"}
    code, outputs, summary = run_action(clone, tmp_path, path, **inputs)
    assert code == 4 and outputs["grew"] == "true"
    assert pathlib.Path(outputs["comment"]).read_text() == summary
    grown = float(re.match(r"\*\*`cpu` grew by ([\d.]+) %, more than chance\*\*: base", summary)[1])
    assert 60 < grown < 140  # 0.8 s became 1.6 s
    row, = re.findall(r"^\| .*`changed`.*$", summary, re.M)
    assert "**" in row and "app.py:9" in row
    # Whose difference is small may be behind the last row that is shown.
    assert not any("**" in row for row in re.findall(r"^\| .*`steady`.*$", summary, re.M))
    assert git(clone, "rev-parse", "--abbrev-ref", "HEAD") == "slower" and not git(clone, "status", "-s")


def test_the_job(clone, tmp_path, path):
    """The script of GitLab's job. A branch on which lines have only moved is no slower."""
    job = yaml.safe_load((CI / "gitlab.yml").read_text())["pyperf-bpf"]
    git(clone, "checkout", "-q", "--detach", "moved")
    commit = git(clone, "rev-parse", "HEAD")
    variables = {**job["variables"], "COMMAND": "python3 app.py", "RUNS": "1",
                 "CI_MERGE_REQUEST_DIFF_BASE_SHA": git(clone, "merge-base", "moved", "main")}
    variables["BASE"] = variables[variables["BASE"].lstrip("$")]
    for line in job["script"]:
        done = subprocess.run(["sh", "-e", "-c", line], cwd=clone, capture_output=True, text=True,
                              env={"PATH": path, "HOME": str(tmp_path), **variables})
        assert done.returncode == 0, done.stdout + done.stderr
    assert all((clone / artifact).exists() for artifact in job["artifacts"]["paths"])
    table = (clone / "pyperf-compare" / "comment.md").read_text()
    assert "no more than chance may do" in table and len(re.findall("`changed`", table)) <= 1
    assert not re.search(r"^\| .*\*\*.*`changed`", table, re.M)
    assert git(clone, "rev-parse", "HEAD") == commit
    shutil.rmtree(clone / "pyperf-compare")


def test_what_is_wrong(clone, tmp_path, path):
    """It is said, and the files are again those of the branch."""
    git(clone, "checkout", "-q", "moved")
    for environment, said in (
            ({"BASE": "nowhere", "COMMAND": "true"}, "'nowhere' is not in this clone"),
            ({"BASE": "main", "COMMAND": "exit 3"}, "COMMAND failed on base"),
            ({"BASE": "main", "COMMAND": "true", "PREPARE": "false"}, "PREPARE failed on base"),
            ({"BASE": "main"}, "COMMAND: names no command")):
        done = compare(clone, tmp_path, path, **environment)
        assert done.returncode and said in done.stderr, done.stderr
        assert git(clone, "rev-parse", "--abbrev-ref", "HEAD") == "moved"
    (clone / "app.py").write_text("changed")
    done = compare(clone, tmp_path, path, BASE="main", COMMAND="true")
    git(clone, "checkout", "-q", "app.py")
    assert done.returncode == 1 and "changed and not committed" in done.stderr
