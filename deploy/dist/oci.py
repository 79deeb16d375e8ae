# SPDX-License-Identifier: GPL-2.0-only
"""An image as an OCI layout for all architectures, in one archive.

    oci.py VERSION EPOCH OUT.tar ARCH=BINARY[,SYSROOT]...

In it are the binary, libc, libcurl with what that needs, for --push, and the certificates of this machine: no
shell, no package manager. The libraries are those of SYSROOT, or of this machine. ARCH is amd64 or arm64."""
import gzip
import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile

TRIPLETS = {"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu"}
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"


def dynamic(file, pattern):
    text = subprocess.run(["readelf", "-Wdl", file], capture_output=True, text=True, check=True).stdout
    return re.findall(pattern, text)


def libraries(binary, root, triplet):
    """{path in the image: file} of the loader and of all libraries that the binary and libcurl want."""
    loader, = dynamic(binary, r"interpreter: ([^\]]+)\]")
    found, wanted = {}, ["libcurl-gnutls.so.4", *dynamic(binary, r"NEEDED.*\[(.+)\]")]
    while wanted:
        name = wanted.pop()
        path = loader if name == pathlib.Path(loader).name else "/usr/lib/%s/%s" % (triplet, name)
        if path in found:
            continue
        places = (root + path, root + path.removeprefix("/usr"), root + "/lib/%s/%s" % (triplet, name))
        file = next((p for p in map(pathlib.Path, places) if p.is_file()), None)
        if not file:
            sys.exit("oci.py: %s is not in %s" % (name, root or "/"))
        found[path] = file
        wanted += dynamic(file, r"NEEDED.*\[(.+)\]")
    return {**found, loader: found.get(loader) or pathlib.Path(root + loader)}


def tar(files, epoch):
    """Bytes of an archive: the same files give the same bytes."""
    out, folders = io.BytesIO(), set()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, (data, mode) in sorted(files.items()):
            for folder in list(pathlib.PurePath(path).parents)[-2::-1]:
                if str(folder) not in folders:
                    folders.add(str(folder))
                    info = tarfile.TarInfo(str(folder))
                    info.type, info.mode, info.mtime = tarfile.DIRTYPE, 0o755, int(epoch)
                    archive.addfile(info)
            info = tarfile.TarInfo(path)
            info.size, info.mode, info.mtime = len(data), mode, int(epoch)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def layer(binary, root, architecture, epoch):
    files = {path.lstrip("/"): (file.read_bytes(), 0o755)
             for path, file in libraries(binary, root, TRIPLETS[architecture]).items()}
    files["usr/bin/pyperf-bpf"] = pathlib.Path(binary).read_bytes(), 0o755
    files["etc/passwd"] = b"root:x:0:0:root:/:/sbin/nologin\n", 0o644
    files["tmp/.keep"] = b"", 0o644
    if pathlib.Path("/", CERTIFICATES).exists():
        files[CERTIFICATES] = pathlib.Path("/", CERTIFICATES).read_bytes(), 0o644
    return tar(files, epoch)


class Layout:
    def __init__(self):
        self.files = {"oci-layout": (b'{"imageLayoutVersion":"1.0.0"}', 0o644)}

    def add(self, data, kind, **more):
        digest = hashlib.sha256(data).hexdigest()
        self.files["blobs/sha256/" + digest] = data, 0o644
        return {"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + digest,
                "size": len(data), **more}

    def add_json(self, value, kind, **more):
        return self.add(json.dumps(value, separators=(",", ":")).encode(), kind, **more)


def image(layout, architecture, content):
    packed = layout.add(gzip.compress(content, 9, mtime=0), "layer.v1.tar+gzip")
    config = layout.add_json({
        "architecture": architecture, "os": "linux",
        "config": {"User": "0", "WorkingDir": "/", "Entrypoint": ["/usr/bin/pyperf-bpf"]},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(content).hexdigest()]},
    }, "config.v1+json")
    return layout.add_json({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                            "config": config, "layers": [packed]},
                           "manifest.v1+json", platform={"architecture": architecture, "os": "linux"})


version, epoch, out, *binaries = sys.argv[1:]
layout, manifests = Layout(), []
for argument in binaries:
    architecture, paths = argument.split("=")
    binary, _, root = paths.partition(",")
    manifests.append(image(layout, architecture, layer(binary, root, architecture, epoch)))
index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": manifests}
top = layout.add_json(index, "index.v1+json",
                      annotations={"org.opencontainers.image.ref.name": version,
                                   "io.containerd.image.name": "pyperf-bpf:" + version})
layout.files["index.json"] = json.dumps({**index, "manifests": [top]}, separators=(",", ":")).encode(), 0o644
pathlib.Path(out).write_bytes(tar(layout.files, epoch))
