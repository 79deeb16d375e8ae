# SPDX-License-Identifier: GPL-2.0-only
"""What servers write to a connection that are to keep a client busy: functions of a connection."""
import time


def endless(start, part, most):
    """A piece after the other, until it gives up after so many bytes."""
    def say(connection):
        connection.settimeout(10)
        connection.sendall(start)
        for _ in range(most // len(part)):
            connection.sendall(part)
    return say


def slowly(start, part):
    """A piece now and then, for longer than anybody should wait."""
    def say(connection):
        connection.sendall(start)
        for _ in range(100):
            connection.sendall(part)
            time.sleep(0.1)
    return say
