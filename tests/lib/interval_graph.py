# SPDX-License-Identifier: GPL-2.0-only
"""The last interval as the page gets it, as stacks: /debug/pyperf/interval (user/views/graph.h)."""
import collections
import json

PATH = "/debug/pyperf/interval"

# A function. kind: of bpf/frames.def.
Frame = collections.namedtuple("Frame", "name file line kind")


class Graph:
    """stacks: {(labels of whose it is, its frames from the root): what ended there}; labels are a set of
    (key, value). sent: the JSON."""

    def __init__(self, body):
        self.sent = json.loads(body)
        self.stacks = collections.Counter()
        functions = [self.frame(*row) for row in self.rows("functions", "name", "file", "line", "kind")]
        owners = self.owners()
        path = []
        for depth, of, self_value in self.rows("nodes", "depth", "of", "self"):
            path[depth:] = [functions[of] if depth else owners[of]]
            self.stacks[path[0], tuple(path[1:])] += self_value
        self.stacks = +self.stacks

    def rows(self, table, *columns):
        return zip(*(self.sent[table][column] for column in columns))

    def text(self, at):
        return self.sent["strings"][at] if at >= 0 else "[left out]"

    def frame(self, name, file, line, kind):
        return Frame(self.text(name), self.text(file), line, self.sent["kinds"][kind]["kind"])

    def owners(self):
        columns = self.sent["owners"]
        numbers = {key for key in columns if key in ("pid", "tid", "ready")}
        rows = [{key: value if key in numbers else self.text(value) for key, value in zip(columns, row)}
                for row in zip(*columns.values())]
        return [frozenset((key, value) for key, value in row.items() if value) for row in rows]

    @property
    def total(self):
        return self.sent["total"]

    @property
    def start(self):
        return self.sent["start"]

    def names(self):
        return {frame.name for _, stack in self.stacks for frame in stack}


def fetch(served, query=""):
    """None before the end of the first interval."""
    answer = served.get(PATH + query)
    return Graph(answer.body) if answer.status == 200 else None


def fetch_same(served, *queries):
    """Those of one interval."""
    for _ in range(5):
        graphs = [fetch(served, query) for query in queries]
        if len({graph.start for graph in graphs}) == 1:
            return graphs
    raise AssertionError("intervals end faster than they are fetched")
