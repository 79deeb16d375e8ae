# SPDX-License-Identifier: GPL-2.0-only
"""--by endpoint with each framework: a real application of it, asked all the time. Every handler burns in a
function that only it calls, so a stack says whose request it is; no sample may be given to another one. The
frameworks are in an environment of their own, since their packages want others than the tests do."""
import collections
import os
import pathlib

import pytest

import endpoints
import profiler

PYTHON = pathlib.Path(profiler.ROOT, ".cache/web/bin/python")

# server: its command, in which PORT stands for the port. handlers: {leaf function: handler}. share: of all
# samples, what has an endpoint, as it was measured (docs/endpoints.md). alone: of endpoints.judge(). more: of
# endpoints.application().
Framework = collections.namedtuple("Framework", "name server paths handlers share alone more",
                                   defaults=[(), {}])

# One that has no CPU for half a minute is not killed for that (--timeout).
GUNICORN = ["-m", "gunicorn", "-k", "gthread", "--threads", "4", "-w", "1", "--timeout", "0",
            "--log-level", "warning", "-b", "127.0.0.1:PORT"]
UVICORN = ["-m", "uvicorn", "--host", "127.0.0.1", "--port", "PORT", "--log-level", "warning",
           "--no-access-log"]
CELERY = ["-m", "celery", "-A", "celery_app", "worker", "-P", "prefork", "-c", "1", "--loglevel", "WARNING"]
THREE = {"leaf_items": "items", "leaf_order": "order", "leaf_cart": "Cart.get"}
TWO = {"leaf_items": "items", "leaf_order": "order"}
DJANGO = dict(THREE, leaf_price="Price.get", leaf_stock="stock")
DJANGO_PATHS = ["/items", "/cart/7", "/order", "/price", "/stock"]

FRAMEWORKS = [
    Framework("django", [*GUNICORN, "django_app:wsgi"], ["/items", "/cart/7", "/price"],
              {"leaf_items": "items", "leaf_cart": "Cart.get", "leaf_price": "Price.get"}, 0.698,
              more={"forks": True}),
    Framework("django-views", [*GUNICORN, "django_app:wsgi"], DJANGO_PATHS, DJANGO, 0.57,
              more={"forks": True}),
    Framework("django-asgi", [*UVICORN, "django_app:asgi"], DJANGO_PATHS, DJANGO, 0.42),
    Framework("fastapi", [*UVICORN, "fastapi_app:app"], ["/items/7", "/order", "/all"],
              dict(TWO, leaf_all="all_of_it"), 0.461, ["leaf_all"]),
    Framework("starlette", [*UVICORN, "starlette_app:app"], ["/items", "/order", "/cart", "/both"],
              dict(THREE, leaf_both="both"), 0.54, ["leaf_both"]),
    Framework("celery", CELERY, [], {"leaf_resize": "resize", "leaf_mail": "mail"}, 0.852,
              more={"forks": True, "asks": ["celery_app.py"]}),
    Framework("aiohttp", ["aiohttp_app.py", "PORT"], ["/items", "/cart"],
              {"leaf_items": "items", "leaf_cart": "Cart.get"}, 0.91),
    Framework("tornado", ["tornado_app.py", "PORT"], ["/items", "/order"],
              {"leaf_items": "Items.get", "leaf_order": "Order.get"}, 0.8),
    Framework("grpc", ["grpc_app.py", "serve", "PORT"], [], {"leaf_items": "items", "leaf_orders": "orders"},
              0.8, more={"asks": ["grpc_app.py", "ask", "PORT"]}),
    Framework("falcon", [*GUNICORN, "falcon_app:app"], ["/items", "/cart/7"],
              {"leaf_items": "Items.on_get", "leaf_cart": "Cart.on_get_number"}, 0.77, more={"forks": True}),
    Framework("bottle", [*GUNICORN, "bottle_app:app"], ["/items/7", "/order"], TWO, 0.81,
              more={"forks": True}),
    Framework("litestar", [*UVICORN, "litestar_app:app"], ["/items/7", "/order", "/cart"],
              dict(TWO, leaf_cart="Cart.show"), 0.9),
    Framework("sanic", ["sanic_app.py", "PORT"], ["/items", "/order", "/cart"], THREE, 0.94),
    Framework("quart", [*UVICORN, "quart_app:app"], ["/items", "/cart", "/both"],
              {"leaf_items": "items", "leaf_cart": "Cart.get", "leaf_both": "both"}, 0.43, ["leaf_both"]),
]
IN_CHECK = {"aiohttp"}  # the others vary what this one and Flask have shown


def parameters():
    return [pytest.param(framework, id=framework.name,
                         marks=[] if framework.name in IN_CHECK else [pytest.mark.all])
            for framework in FRAMEWORKS]


@pytest.mark.parametrize("framework", parameters())
def test_framework(framework, tmp_path):
    if not PYTHON.exists():
        pytest.skip("SKIP web: no %s; make deps" % PYTHON.relative_to(profiler.ROOT))
    for folder in ("tasks", "control"):
        (tmp_path / folder).mkdir()
    module = "endpoints.%s_app:" % framework.name.partition("-")[0]
    handlers = {leaf: module + handler for leaf, handler in framework.handlers.items()}
    with endpoints.application(PYTHON, framework.server, framework.paths,
                               environment={"QUEUE": str(tmp_path)}, **framework.more) as started:
        _, samples = endpoints.profile_of(tmp_path, started, 1, "--by", "endpoint")
    share = endpoints.judge(samples, handlers, framework.share, framework.alone)
    if os.environ.get("SHARES"):
        print("%s %.1f %%" % (framework.name, 100 * share))
