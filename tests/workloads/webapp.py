# SPDX-License-Identifier: GPL-2.0-only
"""A small Flask application whose time goes into its views: sorting and rendering rows, a Mandelbrot set."""
import os

from flask import Flask, jsonify, render_template_string

application = Flask(__name__)
PAGE = ("<table>{% for row in rows %}<tr><td>{{ row.name }}</td><td>{{ row.value }}</td></tr>{% endfor %}"
        "</table>")


def escape_time(c):
    z = 0j
    for n in range(60):
        if abs(z) > 2:
            return n
        z = z * z + c
    return 60


@application.route("/fractal")
def fractal_view():
    rows = [[escape_time(complex(x / 40 - 1, y / 40 - 1)) for x in range(60)] for y in range(60)]
    return jsonify(pid=os.getpid(), sum=sum(map(sum, rows)))


@application.route("/report")
def report_view():
    rows = [{"name": "row %d" % (i * 7919 % 1000), "value": i * i % 97} for i in range(3000)]
    for key in ("name", "value"):
        rows.sort(key=lambda row: row[key])
    totals = {}
    for row in rows:
        totals[row["value"]] = totals.get(row["value"], 0) + len(row["name"])
    page = render_template_string(PAGE, rows=rows[:20])
    return jsonify(pid=os.getpid(), size=len(page) + len(totals))
