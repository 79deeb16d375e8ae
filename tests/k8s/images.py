# SPDX-License-Identifier: GPL-2.0-only
"""Images without a registry: a folder as an archive that `ctr image import` takes."""
import hashlib
import io
import json
import tarfile


def _add(archive, name, data):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))


def pack(name, root, entrypoint, path):
    """Writes the files below root as image `name` ("localhost/app:1") with that entrypoint to path."""
    layer = path.with_suffix(".layer")
    with tarfile.open(layer, "w") as archive:
        archive.add(root, arcname=".")
    digest = hashlib.sha256(layer.read_bytes()).hexdigest()
    config = json.dumps({"architecture": "amd64", "os": "linux", "config": {"Entrypoint": entrypoint},
                         "rootfs": {"type": "layers", "diff_ids": ["sha256:" + digest]}}).encode()
    config_name = hashlib.sha256(config).hexdigest() + ".json"
    with tarfile.open(path, "w") as archive:
        _add(archive, "manifest.json",
             json.dumps([{"Config": config_name, "RepoTags": [name], "Layers": ["layer.tar"]}]).encode())
        _add(archive, config_name, config)
        archive.add(layer, arcname="layer.tar")
    layer.unlink()
