# SPDX-License-Identifier: GPL-2.0-only
"""Stands in for a kubelet: a TLS server whose /pods is a v1.PodList, for one bearer token. A real one is in tests/k8s."""
import contextlib
import http.server
import json
import ssl
import threading
import time


def pod(uid, **labels):
    """One item of the list, with more around the labels than is asked for, as a kubelet has it."""
    return {"metadata": {"name": "pod-" + uid[:8], "namespace": "demo", "uid": uid,
                         "labels": labels,
                         "annotations": {"app": "not a label"}},
            "spec": {"containers": [{"name": "web", "env": [{"name": "app", "value": "not a label, either"}]}]},
            "status": {"phase": "Running"}}


def pod_list(*pods):
    return json.dumps({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": list(pods)}).encode()


class Kubelet:
    """answer(number), for the request of that number, from 0: what to send, (status, bytes); a float is a pause before the
    pods are sent, None sends them."""

    def __init__(self, certificate, token="first", answer=lambda number: None):
        self.token, self.pods, self.answer = token, [], answer
        self.requests = []  # (path, token)
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.url = "https://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def respond(self, request):
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        answer = self.answer(len(self.requests))
        self.requests.append((request.path, token))
        if isinstance(answer, float):
            time.sleep(answer)
        if isinstance(answer, tuple):
            return answer
        if token != self.token:
            return 401, b"Unauthorized\n"
        return (200, pod_list(*self.pods)) if request.path == "/pods" else (404, b"")

    def handler(kubelet):  # noqa: N805
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                status, body = kubelet.respond(self)
                with contextlib.suppress(OSError):
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        return Handler

    def close(self):
        self.server.shutdown()
        self.server.server_close()


@contextlib.contextmanager
def serving(certificate, **options):
    kubelet = Kubelet(certificate, **options)
    try:
        yield kubelet
    finally:
        kubelet.close()
