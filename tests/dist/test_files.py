# SPDX-License-Identifier: GPL-2.0-only
"""What is in the files of a release: what it says of itself is so."""
import hashlib
import json
import re
import subprocess
import tarfile
import zipfile

import pytest
from machines import DEBIAN, KINDS, MACHINES, starter, output, unpacked

of_each_machine = pytest.mark.parametrize("machine", MACHINES)
of_each_kind = pytest.mark.parametrize("kind", KINDS)


@of_each_machine
def test_libc_is_all_that_is_needed(one, tmp_path, machine):
    binary = unpacked(one, tmp_path, machine) / "pyperf-bpf"
    needed = set(re.findall(r"NEEDED.*\[(.+)\]", output("readelf", "-d", binary)))
    assert needed - {"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"} == {"libc.so.6"}


@of_each_machine
def test_the_static_one_needs_nothing(one, tmp_path, machine):
    binary = unpacked(one, tmp_path, machine, "-static") / "pyperf-bpf"
    told = output("readelf", "-lhd", binary)
    assert "NEEDED" not in told and "program interpreter" not in told and "DYN (" in told


@of_each_kind
@of_each_machine
def test_it_says_for_which_machine_it_is(one, tmp_path, machine, kind):
    said = output(*starter(machine), unpacked(one, tmp_path, machine, kind) / "pyperf-bpf", "--version")
    assert "\nbuilt for: %s\n" % machine in said
    assert ("libcurl/" not in said and "this build is static" in said) == bool(kind)


@of_each_kind
@of_each_machine
def test_a_line_for_what_is_wrong(one, tmp_path, machine, kind):
    binary = unpacked(one, tmp_path, machine, kind) / "pyperf-bpf"
    for arguments in (["dump"], ["dump", "--pid", "1x"], ["--frequency", "-1"]):
        done = subprocess.run([*starter(machine), binary, *arguments], capture_output=True, text=True)
        assert done.returncode == 2 and done.stderr.startswith("pyperf-bpf: error: "), done
        assert done.stderr.count("\n") == 1 and not done.stdout


@of_each_machine
def test_packages_say_for_which_machine_they_are(one, machine):
    debian = DEBIAN[machine]
    assert output("dpkg-deb", "-f", one("*_%s.deb" % debian), "Architecture").strip() == debian
    assert output("rpm", "-qp", "--qf", "%{ARCH}", one("*.%s.rpm" % machine)) == machine
    for pattern in ("*-manylinux_2_[!1]*_%s.whl", "*-manylinux_2_17_*musllinux*_%s.whl"):
        with zipfile.ZipFile(one(pattern % machine)) as wheel:
            text = wheel.read(next(n for n in wheel.namelist() if n.endswith("/WHEEL"))).decode()
            tags = re.findall("^Tag: py3-none-(.+)$", text, re.M)
        assert wheel.filename.endswith("-py3-none-%s.whl" % ".".join(tags)), tags


def test_pages_have_every_option(one, tmp_path):
    folder = unpacked(one, tmp_path)
    options = set(re.findall(r"--([a-z][a-z-]+)", output(folder / "pyperf-bpf", "--help", "all")))
    assert len(options) > 50
    for page in ("completions/pyperf-bpf.bash", "completions/_pyperf-bpf"):
        assert not [o for o in options if "--" + o not in (folder / page).read_text()], page
    fish = (folder / "completions/pyperf-bpf.fish").read_text()
    assert not [o for o in options if " -l %s " % o not in fish]
    man = (folder / "man/pyperf-bpf.1").read_text().replace("\\-", "-")
    assert not [o for o in options if "--" + o not in man]


def test_pages_are_well_formed(one, tmp_path):
    folder = unpacked(one, tmp_path)
    for page in folder.glob("man/*"):
        output("mandoc", "-T", "lint", "-W", "error", page)
    output("bash", "-n", folder / "completions/pyperf-bpf.bash")


def test_bash_completes(one, tmp_path):
    script = unpacked(one, tmp_path) / "completions/pyperf-bpf.bash"

    def complete(*words):
        text = '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pyperf_bpf; echo "${COMPREPLY[@]}"'
        return output("bash", "-c", text, "bash", script, *words).split()
    assert complete("pyperf-bpf", "du") == ["dump"]
    assert complete("pyperf-bpf", "dump", "--js") == ["--json"]
    assert complete("pyperf-bpf", "dump", "--pus") == []
    assert complete("pyperf-bpf", "--threads", "") == ["all", "main", "active"]


@of_each_kind
@of_each_machine
def test_sbom_and_licences_say_the_same(one, tmp_path, machine, kind):
    folder = unpacked(one, tmp_path, machine, kind)
    sbom = json.loads((folder / "pyperf-bpf.cdx.json").read_text())
    page = (folder / "LICENCES.md").read_text()
    names = {c["name"] for c in sbom["components"]}
    assert {"libbpf", "libmicrohttpd", "zlib"} <= names and ("glibc" in names) == bool(kind)
    assert all("| %s | %s |" % (c["name"], c["version"]) in page for c in sbom["components"])
    assert "Apache" not in page
    pattern = "*musllinux*_%s.whl" if kind else "*-manylinux_2_[!1]*_%s.whl"
    with zipfile.ZipFile(one(pattern % machine)) as wheel:
        inside, = (n for n in wheel.namelist() if n.endswith("sboms/pyperf-bpf.cdx.json"))
        assert json.loads(wheel.read(inside)) == sbom
    assert json.loads(one("*-%s%s.cdx.json" % (machine, kind)).read_text()) == sbom


def test_kubernetes(one, tmp_path):
    """The chart with its manifests as files, and the plugin of kubectl."""
    assert "kubectl pyperf record POD" in output(unpacked(one, tmp_path) / "kubectl-pyperf", "--help")
    with tarfile.open(one("*-chart.tgz")) as archive:
        assert archive.getmember("pyperf-bpf/files/daemonset.yaml").isfile()
        assert archive.getmember("pyperf-bpf/Chart.yaml").isfile()


def test_image_is_whole(one):
    with tarfile.open(one("*-oci.tar")) as archive:
        blobs = {m.name: archive.extractfile(m).read() for m in archive if m.isfile()}
    for name, data in blobs.items():
        assert not name.startswith("blobs/") or name == "blobs/sha256/" + hashlib.sha256(data).hexdigest()

    def follow(descriptor):
        data = blobs["blobs/sha256/" + descriptor["digest"].removeprefix("sha256:")]
        assert len(data) == descriptor["size"]
        return data
    top, = json.loads(blobs["index.json"])["manifests"]
    manifests = json.loads(follow(top))["manifests"]
    assert [m["platform"]["architecture"] for m in manifests] == [DEBIAN[machine] for machine in MACHINES]
    for manifest in manifests:
        image = json.loads(follow(manifest))
        assert json.loads(follow(image["config"]))["architecture"] == manifest["platform"]["architecture"]
        assert all(follow(layer) for layer in image["layers"])


def test_sums(dist):
    output("sh", "-c", 'cd "$1" && sha256sum -c --strict SHA256SUMS', "sh", dist)
    assert {line.split()[1] for line in (dist / "SHA256SUMS").read_text().splitlines()} == \
        {file.name for file in dist.iterdir()} - {"SHA256SUMS"}
