# SPDX-License-Identifier: GPL-2.0-only
"""Runs the cells of a notebook, a JSON list on stdin, in a real kernel, and prints what each has put out. Run
by a Python that has nbclient."""
import json
import sys

import nbformat
from nbclient import NotebookClient


def outputs(cell):
    for output in cell.outputs:
        if output.output_type == "error":
            yield {"kind": "error", "text": "%s: %s" % (output.ename, output.evalue),
                   "traceback": "\n".join(output.traceback)}
        else:
            text = output.text if output.output_type == "stream" else output.data["text/plain"]
            yield {"kind": output.output_type, "text": text}


book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in json.load(sys.stdin)])
NotebookClient(book, allow_errors=True, timeout=300).execute()
print(json.dumps([list(outputs(cell)) for cell in book.cells]))
