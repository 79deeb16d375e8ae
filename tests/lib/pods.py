# SPDX-License-Identifier: GPL-2.0-only
"""Pods as a kubelet makes them, of cgroups and logs, and the labels that samples have of them."""
import uuid

import cgroups
import labels
import pprof

NAMES = labels.keys(source="CONTAINER")


def labels_of(run, pid, program=""):
    """The container labels of a process's samples: those of all of them, or of all in that program."""
    found = [s.labels for s in pprof.read(run.path).samples
             if s.labels.get("pid") == pid and any(program in frame.filename for frame in s.frames)]
    assert found, "no sample of %d" % pid
    sets = {tuple((name, sample[name]) for name in NAMES if name in sample) for sample in found}
    assert len(sets) == 1, sets
    return dict(sets.pop())


class Pod:
    def __init__(self, namespace, pod, container):
        self.names = {"namespace": namespace, "pod": pod, "container": container}
        self.uid, self.id = str(uuid.uuid4()), cgroups.container_id()
        self.labels = {**self.names, "container_id": self.id, "pod_uid": self.uid}
        assert set(self.labels) == set(NAMES), "what does a process in a pod have as its other labels?"
        self.cgroup = "/kubepods-pyperf/burstable/pod%s/%s" % (self.uid, self.id)

    def log(self, logs):
        names = self.names
        (logs / ("%s_%s_%s" % (names["namespace"], names["pod"],
                               self.uid)) / names["container"]).mkdir(parents=True)

    def link(self, logs):
        (logs / "{pod}_{namespace}_{container}-{0}.log".format(self.id,
                                                               **self.names)).symlink_to("/nonexistent")
