# SPDX-License-Identifier: GPL-2.0-only
"""receive.py DIR: a receiver of pushed profiles in a guest, whose Python has no module for HTTP. It keeps
the body of each request in DIR, by number, and the request's path in DIR/paths; it ends when it is killed."""
import pathlib
import socket
import sys

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def read_request(stream):
    """(path, body)"""
    path = stream.readline().split()[1].decode()
    length = 0
    for line in iter(stream.readline, b"\r\n"):
        name, value = line.split(b":", 1)
        if name.lower() == b"content-length":
            length = int(value)
    return path, stream.read(length)


def main():
    directory = pathlib.Path(sys.argv[1])
    server = socket.create_server(("127.0.0.1", 4040))
    print("ready", flush=True)
    with open(directory / "paths", "w") as paths:
        for number in range(10000):
            connection = server.accept()[0]
            with connection, connection.makefile("rb") as stream:
                path, body = read_request(stream)
                (directory / ("%d.pb.gz" % number)).write_bytes(body)
                print(path, file=paths, flush=True)
                connection.sendall(ANSWER)


main()
