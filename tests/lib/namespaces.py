# SPDX-License-Identifier: GPL-2.0-only
"""Whether namespaces of one's own can be had here, and a command in some."""
import functools
import os
import pathlib
import subprocess

DEBUG = "/usr/lib/debug"
NOBODY = 65534


@functools.lru_cache(maxsize=None)
def reason():
    """Why not, or None. In a chroot, for one, a mount namespace is refused."""
    done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True, text=True)
    return done.stderr.strip() or "unshare is refused" if done.returncode else None


@functools.lru_cache(maxsize=None)
def reason_of_users():
    """Why a user without rights cannot have any, or None."""
    done = subprocess.run(["unshare", "-Urm", "true"], user=NOBODY, group=NOBODY, extra_groups=[],
                          capture_output=True, text=True)
    return done.stderr.strip() or "unshare is refused" if done.returncode else None


@functools.lru_cache(maxsize=None)
def reason_of(*kinds):
    """Why unshare is refused these, or None. In a chroot user namespaces are."""
    done = subprocess.run(["unshare", *kinds, "true"], capture_output=True, text=True)
    return done.stderr.strip() or "unshare is refused" if done.returncode else None


@functools.lru_cache(maxsize=None)
def is_chroot():
    """Whether our root is not that of our mount namespace. What /proc says of mapped files is then, for a
    program with another root, not where they are."""
    done = subprocess.run(["nsenter", "--mount=/proc/self/ns/mnt", "readlink", "/proc/%d/root" % os.getpid()],
                          capture_output=True, text=True)
    return done.returncode == 0 and done.stdout.strip() != "/"


def put_debug_file(debug, build_id):
    """Shell commands that put this debug file where those are kept, which is empty then."""
    folder = "%s/.build-id/%s" % (DEBUG, build_id[:2])
    return ("mkdir -p %s && mount -t tmpfs none %s && mkdir -p %s && chmod 755 %s && cp '%s' %s/%s.debug" %
            (DEBUG, DEBUG, folder, DEBUG, debug, folder, build_id[2:]))


def with_debug_file(debug, build_id, library, command):
    """The command, which sees this debug file where those are kept; we do not. The library is beside it, as
    in an image that has both, and has that name in the command."""
    beside = "%s/%s" % (DEBUG, pathlib.Path(library).name)
    script = "%s && cp '%s' %s && exec \"$@\"" % (put_debug_file(debug, build_id), library, beside)
    return ["unshare", "--mount", "sh", "-c", script, "sh",
            *(beside if word == library else word for word in command)]
