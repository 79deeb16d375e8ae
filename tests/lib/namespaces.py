# SPDX-License-Identifier: GPL-2.0-only
"""Whether namespaces of one's own can be had here, and a command in some."""
import functools
import subprocess

DEBUG = "/usr/lib/debug"


@functools.lru_cache(maxsize=None)
def reason():
    """Why not, or None. In a chroot, for one, a mount namespace is refused."""
    done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True, text=True)
    return done.stderr.strip() or "unshare is refused" if done.returncode else None


def with_debug_file(debug, build_id, command):
    """The command, which sees this debug file where those are kept; we do not."""
    folder = "%s/.build-id/%s" % (DEBUG, build_id[:2])
    script = ("mkdir -p %s && mount -t tmpfs none %s && mkdir -p %s && cp '%s' %s/%s.debug && exec \"$@\"" %
              (DEBUG, DEBUG, folder, debug, folder, build_id[2:]))
    return ["unshare", "--mount", "sh", "-c", script, "sh", *command]
