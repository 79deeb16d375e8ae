# SPDX-License-Identifier: GPL-2.0-only
"""An HTTP server of a test, in threads, on a port of its own of this machine."""
import contextlib
import http.server
import ssl
import threading


class LocalServer:
    """answer(request) is for the subclass to define: request is a http.server.BaseHTTPRequestHandler, of the
    METHOD alone that it is for. authority: where it listens, for an URL."""

    METHOD = "GET"

    def __init__(self, certificate=None):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True,
                                                     do_handshake_on_connect=False)
        self.authority = "127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def handler(server):  # noqa: N805
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

        def serve(request):
            with contextlib.suppress(OSError):
                server.answer(request)

        setattr(Handler, "do_" + server.METHOD, serve)
        return Handler

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def reply(request, status, body):
    request.send_response(status)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)
