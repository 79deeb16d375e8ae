# SPDX-License-Identifier: GPL-2.0-only
"""Programs whose time is spent in native code, for tests/oracle/step_native.c; for Python 2.7 as well.

steps.py WHAT. Runs WHAT some rounds, so that everything that is imported, bound or specialized once is; then
it stops itself, and does the same for ever."""
import functools
import itertools
import json
import os
import re
import signal
import sys
import time
import zlib

TREE = {"name": [1, 2.5, None, True] * 3, "text": {"a": u"b\u00e9\n" * 5, "c": list(range(20))}}
TEXT = " ".join("%d-word" % i for i in range(40))
BYTES = bytes(bytearray(i * i % 251 for i in range(3000)))


def in_json():
    json.loads(json.dumps(TREE))
    json.dumps(TREE, indent=1, sort_keys=True)


def in_zlib():
    zlib.decompress(zlib.compress(BYTES))
    zlib.crc32(BYTES)
    time.time()


class Item(object):
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value

    def __eq__(self, other):
        return self.value == other.value

    def __hash__(self):
        return hash(self.value)


def negated(x):
    return -x


def numbers(n):
    for i in range(n):
        yield i


def in_callbacks():
    """C that calls Python that calls C."""
    sorted([3, 1, 2], key=negated)
    sorted(map(Item, [2, 1, 3]))
    re.sub("[0-9]+", lambda found: str(len(found.group())), TEXT)
    functools.reduce(lambda a, b: a + b, map(negated, numbers(5)))
    {Item(1): 2}[Item(1)]
    max(filter(negated, itertools.chain([1, 2], numbers(3))), key=lambda x: sum(map(negated, [x])))
    try:
        list(map(int, ["1", "x"]))
    except ValueError:
        pass


def flask_calls():
    import flask

    app = flask.Flask("steps")
    app.route("/<name>")(lambda name: flask.render_template_string("Hello {{ name }}", name=name))
    client = app.test_client()
    return lambda: client.get("/you")


def numpy_calls():
    import numpy

    a = numpy.arange(2000.0).reshape(50, 40)
    return lambda: (numpy.sin(a).sum(), a.dot(a.T).max(), numpy.sort(a, axis=0), a[a > 5].mean())


def pandas_calls():
    import pandas

    frame = pandas.DataFrame({"a": range(100), "b": [i % 7 for i in range(100)]})
    return lambda: (frame.groupby("b").sum(), frame.sort_values("b").describe())


def sqlalchemy_calls():
    import sqlalchemy

    engine = sqlalchemy.create_engine("sqlite://")
    connection = engine.connect()
    return lambda: connection.execute(sqlalchemy.text("select 1 union select 2")).fetchall()


def chains_calls():
    import chains

    return chains.every_chain_once(sys.argv[2])


IN_OTHER = """
import functools, os, signal, time
def callbacks():
    functools.reduce(lambda a, b: a + b, map(abs, [1, -2, 3]))
    sorted([3, 1, 2], key=lambda x: -x)
    max(map(lambda x: sum(map(abs, [x])), range(5)))
    time.time()
for _ in range(30):
    callbacks()
os.kill(os.getpid(), signal.SIGSTOP)
while True:
    callbacks()
"""


def interpreters_calls():
    """All of it is in another interpreter, which the thread has gone to; also its stop."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    import subinterpreters

    create, run = subinterpreters.runner(False)
    return lambda: run(create(), IN_OTHER)


def main():
    name = sys.argv[1]
    call = globals().get("in_" + name) or globals()[name + "_calls"]()
    for _ in range(30):
        call()
    os.kill(os.getpid(), signal.SIGSTOP)
    while True:
        call()


list(map(lambda _: main(), [0]))
