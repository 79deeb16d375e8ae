# SPDX-License-Identifier: GPL-2.0-only
"""A page of another site, in a real browser, that has it ask the profiler at an address of the network.
There browsers say nothing of sites (Sec-Fetch-Site) but the page's own (Origin)."""
import contextlib

import pytest

import interpreters as known
import profiler
from local_server import LocalServer, reply
from serving import other_address, server

LOG = "/debug/pyperf/log"
NO_CORS = "fetch(%s, {method: 'POST', mode: 'no-cors', body: 'x'})"

# Expressions of JavaScript that send an order to the address %s.
ORDERS = {
    "form": "document.body.insertAdjacentHTML('beforeend', '<iframe name=f></iframe><form method=post "
            "enctype=text/plain target=f action=' + %s + '><input name=a value=b></form>'), "
            "document.forms[0].submit()",
    "script": NO_CORS,
    "script that may use passwords": NO_CORS.replace("{", "{credentials: 'include', "),
    "script that says it is JSON": "void fetch(%s, {method: 'POST', body: '{}', "
                                   "headers: {'Content-Type': 'application/json'}}).catch(() => 0)",
    "script that says it is JSON as well": NO_CORS.replace(
        "body", "headers: {'Content-Type': 'text/plain;application/json'}, body"),
    "beacon": "navigator.sendBeacon(%s, new Blob(['{}'], {type: 'application/json'}))",
    "frame without an origin": "document.body.insertAdjacentHTML('beforeend', '<iframe sandbox=allow-scripts "
                               "srcdoc=\"<script>" + NO_CORS.replace("'", "`") % "`' + %s + '`" +
                               "</script>\"></iframe>')",
}


class OtherSite(LocalServer):
    def answer(self, request):
        reply(request, 200, b"<!doctype html><title>other</title><body>")


@pytest.fixture(scope="module")
def served(tmp_path_factory, workloads):
    home, address = tmp_path_factory.mktemp("served"), other_address()
    with profiler.target(known.usual().path, workloads / "burn.py") as target:
        with server(home, "--pid", target.pid, "--log", 5, "--log-file", home / "log.pb.gz",
                    at="0.0.0.0") as s:
            s.url = "http://%s:%d" % (address, s.port)
            profiler.wait_until(lambda: s.get(LOG + "?last=600").status == 200, what="samples in the log")
            yield s


@pytest.mark.parametrize("order", ORDERS)
def test_no_order_of_another_site(order, browser, served):
    before, written = served.metric("http_refusals_total"), "log_files_written_total"
    with contextlib.closing(OtherSite()) as other:
        page = browser.open("http://%s/" % other.authority)
        page.run(ORDERS[order] % ("'%s%s'" % (served.url, LOG)))
        # All of them reach the profiler: the form itself, or the question whether it may be sent.
        profiler.wait_until(lambda: served.metric("http_refusals_total") > before or served.metric(written),
                            what="answer")
        page.close()
    assert served.metric(written) == 0


def test_its_own_page_works_there(browser, served):
    """And so do orders of who is no page of another site, the page's own among them."""
    page = browser.open(served.url + "/")
    page.wait("document.body.dataset.drawn")
    assert page.run("fetch('%s', {method: 'POST', headers: {'Content-Type': 'application/json'}})"
                    ".then(answer => answer.status)" % LOG) == 202
    profiler.wait_until(lambda: served.metric("log_files_written_total") == 1, what="file")
    assert not page.complaints
    page.close()
