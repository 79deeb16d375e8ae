# SPDX-License-Identifier: GPL-2.0-only
"""The profiler and a program in one container with the capabilities and the seccomp rules of `docker run`: it
samples from outside, and where the rules forbid even that, it says which."""
import json
import re
import subprocess

import pytest

import containers
import interpreters as known
import profiler

pytestmark = pytest.mark.skipif(containers.reason() is not None, reason="SKIP runc: %s" % containers.reason())

PYTHONS = [i for i in known.available() if i.kind == "pbs" and i.version >= (3, 13)][-1:]
PROFILER = "/usr/bin/pyperf-bpf"
BURN = ("import sys, time\ndef burn():\n    while time.process_time() < float(sys.argv[1]): pass\n"
        "print('begins', flush=True)\nburn()")
# Runs a program beside the command, which gets its pid at the end.
BESIDE = ("import subprocess, sys\np = subprocess.Popen(sys.argv[1:5], stdout=subprocess.PIPE)\n"
          "p.stdout.readline()\ntry: code = subprocess.call([*sys.argv[5:], str(p.pid)])\n"
          "finally: p.kill()\nsys.exit(code)")
FOLDED = "--format", "folded", "-o", "-"


class Image:
    """A root file system with the profiler and an interpreter, for one container after the other."""

    def __init__(self, directory, interpreter):
        self.directory, self.containers = directory, []
        first = self.container(containers.DOCKER)
        self.python = containers.fill_with_python(first.root, known.HOME / interpreter.name)
        containers.fill_with_profiler(first.root, profiler.BINARY)
        self.root = first.root

    def container(self, capabilities, **options):
        made = containers.Container(self.directory / str(len(self.containers)), [], [], capabilities,
                                    rules=containers.docker_rules(capabilities, **options))
        self.containers.append(made)
        return made

    def run(self, *arguments, capabilities=containers.DOCKER, user=0, **options):
        """This command, by a user; who is not root has no capability."""
        made = self.container(capabilities, **options)
        path = made.bundle / "config.json"
        config = json.loads(path.read_text())
        config["root"]["path"] = str(self.root)
        config["process"].update(args=list(arguments), user={"uid": user, "gid": user})
        if user:
            config["process"]["capabilities"].update(effective=[], permitted=[])
        path.write_text(json.dumps(config))
        return subprocess.run(made.command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=300)


@pytest.fixture(scope="module", params=PYTHONS, ids=str)
def image(request, tmp_path_factory):
    made = None
    try:
        made = Image(tmp_path_factory.mktemp("image"), request.param)
        yield made
    finally:
        for container in made.containers if made else ():
            container.remove()


def burnt(done):
    """The share of what was sampled that burn() has."""
    found = re.findall(r"^(.*) (\d+)$", done.stdout, re.M)
    total = sum(int(count) for _, count in found)
    return sum(int(count) for stack, count in found if "burn" in stack) / total if total else 0


@pytest.mark.parametrize("user", (0, 1000))
def test_a_command(user, image):
    done = image.run(PROFILER, *FOLDED, "--", image.python, "-c", BURN, "1", user=user)
    assert done.returncode == 0 and "Sampling from outside at 99 Hz" in done.stderr, done.stderr
    assert burnt(done) > 0.5, done.stdout


@pytest.mark.parametrize("user", (0, 1000))
def test_a_neighbour(user, image):
    """A process that the profiler has not started, as another `docker exec` meets it."""
    beside = [image.python, "-c", BESIDE, image.python, "-c", BURN, "60", PROFILER]
    done = image.run(*beside, *FOLDED, "-d", "2", "--pid", user=user)
    assert done.returncode == 0 and "Sampling from outside at 99 Hz" in done.stderr, done.stderr
    assert burnt(done) > 0.5, done.stdout
    done = image.run(*beside, "dump", "--pid", user=user)
    assert done.returncode == 0 and "burn (<string>:" in done.stdout, done


def test_rules_that_forbid_to_read(image):
    """What would be a profile without a stack is refused, and with a capability these rules allow it."""
    says = "process_vm_readv is refused even for one's own memory, which seccomp does"
    command = PROFILER, *FOLDED, "--", image.python, "-c", BURN, "1"
    done = image.run(*command, reads=False)
    assert done.returncode == 1 and says in done.stderr and "begins" not in done.stdout, done
    done = image.run(PROFILER, "dump", "--pid", "1", reads=False)
    assert done.returncode == 1 and says in done.stderr, done
    done = image.run(PROFILER, "doctor", reads=False)
    assert re.search(r"note +outside +" + says, done.stdout), done.stdout
    done = image.run(*command, reads=False, capabilities=(*containers.DOCKER, "CAP_SYS_PTRACE"))
    assert done.returncode == 0 and burnt(done) > 0.5, done
