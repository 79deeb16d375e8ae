# SPDX-License-Identifier: GPL-2.0-only
"""What a release's binary is made of, as the linker tells it, with versions and licences.

    parts.py licences|sbom MAP VERSION EPOCH [SYSROOT]    MAP: the linker's map (dist.mk)

licences: a page; sbom: CycloneDX 1.5 as JSON. An archive without a row in parts.txt is an error."""
import datetime
import json
import pathlib
import re
import subprocess
import sys
import uuid

HERE = pathlib.Path(__file__).resolve().parent
FIELDS = "archive", "name", "package", "licence", "home"


def known():
    for line in (HERE / "parts.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            yield dict(zip(FIELDS, (field.strip() for field in line.split("|"))))


def in_sysroot(package, linked):
    """The version of a library of another architecture, by sysroot.sh; None: it is of this machine."""
    if not sysroot or linked and "gcc-cross" in linked.parts:
        return None
    return dict(line.split() for line in (sysroot / "packages").read_text().splitlines())[package]


def version_of(package, linked):
    if package == "libmicrohttpd-dev":  # our own build of Debian's source
        return (linked.parent / "version").read_text().strip()
    if found := in_sysroot(package, linked):
        return found
    cross = "-arm64-cross" if linked and "gcc-cross" in linked.parts else ""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}\n", package + cross], capture_output=True,
                          text=True, check=True)
    return done.stdout.splitlines()[0].strip()


def linked_archives(path):
    """The archives of which at least one member is in the binary."""
    text = pathlib.Path(path).read_text().split("Memory Configuration")[0]
    found = (pathlib.Path(name) for name in re.findall(r"^([^\s(]+\.a)\(", text, re.M))
    return {file.name: file for file in found if file.name != "libpyperf.a"}


def parts(path):
    linked = linked_archives(path)
    rows = list(known())
    missing = set(linked) - {row["archive"] for row in rows}
    if missing:
        sys.exit("parts.py: no licence is known of %s: add a row to parts.txt" % ", ".join(sorted(missing)))
    seen = {}
    for row in rows:
        if row["archive"] == "-" or row["archive"] in linked:
            version = version_of(row["package"], linked.get(row["archive"]))
            seen.setdefault(row["name"], {**row, "version": version})
    return sorted(seen.values(), key=lambda row: row["name"])


def licences(found, version):
    print("# Licences of pyperf-bpf %s\n" % version)
    print("pyperf-bpf is GPL-2.0-only. These parts of others are linked into its binary, of Debian's "
          "packages of the\nversions named; libmicrohttpd was built from Debian's source, without TLS. The "
          "sources are those of Debian.\n")
    print("| part | version | licence | from |\n|---|---|---|---|")
    for part in found:
        print("| %(name)s | %(version)s | %(licence)s | %(home)s |" % part)
    if any(part["archive"] == "libc.a" for part in found):
        print("\nNothing else is opened when the program runs.")
    else:
        print("\nlibc and, where it is installed, libcurl are the machine's own: they are opened when the "
              "program runs and are\nno part of it.")


def licence_of(part):
    expression = part["licence"]
    return [{"license": {"name": "public domain"}}] if "LicenseRef" in expression else \
        [{"expression": expression}]


def sbom(found, version, epoch):
    name = "pkg:generic/pyperf-bpf@" + version
    components = [{
        "type": "library", "bom-ref": "pkg:deb/debian/%(package)s@%(version)s" % part, "name": part["name"],
        "version": part["version"], "licenses": licence_of(part),
        "purl": "pkg:deb/debian/%(package)s@%(version)s" % part,
        "externalReferences": [{"type": "website", "url": part["home"]}],
    } for part in found]
    time = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    print(json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": "urn:uuid:%s" % uuid.uuid5(uuid.NAMESPACE_URL, name + json.dumps(components)),
        "metadata": {"timestamp": time, "component": {
            "type": "application", "bom-ref": name, "name": "pyperf-bpf", "version": version, "purl": name,
            "licenses": [{"license": {"id": "GPL-2.0-only"}}]}},
        "components": components,
        "dependencies": [{"ref": name, "dependsOn": [part["bom-ref"] for part in components]}],
    }, indent=1))


what, linker_map, version, epoch, *sysroot = sys.argv[1:]
sysroot = pathlib.Path(sysroot[0]) if sysroot else None
found = parts(linker_map)
licences(found, version) if what == "licences" else sbom(found, version, epoch)
