# SPDX-License-Identifier: GPL-2.0-only
"""The small shop of README's three uses, a server with threads. It is slow, it waits, and it can hang:

    python3 shop.py supplier &        who is asked for prices, and takes 200 ms
    python3 shop.py &                 http://127.0.0.1:8100/search/red+char
                                      http://127.0.0.1:8100/order/lamp
                                      http://127.0.0.1:8100/refund/lamp   beside orders: it hangs
"""
import difflib
import http.server
import socket
import socketserver
import sys
import threading
import time

NAMES = [f"{colour} {thing} no. {number}" for colour in ("red", "green", "blue")
         for thing in ("lamp", "chair", "table") for number in range(40)]
stock, ledger = threading.Lock(), threading.Lock()


def search(words):
    return difflib.get_close_matches(words, NAMES)


def price(name):
    with socket.create_connection(("127.0.0.1", 8101)) as supplier:
        supplier.sendall(name.encode())
        return supplier.recv(100).decode()


def order(name):
    with stock:
        with ledger:
            return price(name)


def refund(name):
    with ledger:
        time.sleep(0.01)
        with stock:
            return "done"


class Shop(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        _, what, name = self.path.split("/")
        answer = {"search": search, "order": order, "refund": refund}[what](name)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(str(answer).encode())

    def log_message(self, *arguments):
        pass


class Supplier(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.recv(100)
        time.sleep(0.2)
        self.request.sendall(b"9.95")


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


if sys.argv[1:] == ["supplier"]:
    Server(("127.0.0.1", 8101), Supplier).serve_forever()
Server(("127.0.0.1", 8100), Shop).serve_forever()
