# SPDX-License-Identifier: GPL-2.0-only
"""Whether namespaces of one's own can be had here."""
import functools
import subprocess


@functools.lru_cache(maxsize=None)
def reason():
    """Why not, or None. In a chroot, for one, a mount namespace is refused."""
    done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True, text=True)
    return done.stderr.strip() or "unshare is refused" if done.returncode else None
