# SPDX-License-Identifier: GPL-2.0-only
"""Stands in for a kubelet: a TLS server whose /pods is a v1.PodList, for one bearer token.
A real one is in tests/k8s."""
import contextlib
import json
import threading
import time

from local_server import LocalServer, reply


def pod(uid, **labels):
    """One item of the list, with more around the labels than is asked for, as a kubelet has it."""
    return {"metadata": {"name": "pod-" + uid[:8], "namespace": "demo", "uid": uid,
                         "labels": labels,
                         "annotations": {"app": "not a label"}},
            "spec": {"containers": [{"name": "web",
                                     "env": [{"name": "app", "value": "not a label, either"}]}]},
            "status": {"phase": "Running"}}


def pod_list(*pods):
    return json.dumps({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": list(pods)}).encode()


class Kubelet(LocalServer):
    """behave(number), for the request of that number, from 0: what to send, (status, bytes); a float is a
    pause before the pods are sent, a threading.Event is waited for before that, None sends them."""

    def __init__(self, certificate, token="first", behave=lambda number: None):
        self.token, self.pods, self.behave = token, [], behave
        self.requests, self.times = [], []  # (path, token); when each came
        super().__init__(certificate)
        self.url = "https://" + self.authority

    def respond(self, request):
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        answer = self.behave(len(self.requests))
        self.times.append(time.monotonic())
        self.requests.append((request.path, token))
        if isinstance(answer, float):
            time.sleep(answer)
        if isinstance(answer, threading.Event):
            answer.wait()
        if isinstance(answer, tuple):
            return answer
        if token != self.token:
            return 401, b"Unauthorized\n"
        return (200, pod_list(*self.pods)) if request.path == "/pods" else (404, b"")

    def answer(self, request):
        reply(request, *self.respond(request))


@contextlib.contextmanager
def serving(certificate, **options):
    kubelet = Kubelet(certificate, **options)
    try:
        yield kubelet
    finally:
        kubelet.close()
