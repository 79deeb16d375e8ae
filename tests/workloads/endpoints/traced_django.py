# SPDX-License-Identifier: GPL-2.0-only
"""Views under OpenTelemetry: a function and a coroutine, by WSGI and by ASGI."""
import django
import traced
from django.conf import settings
from opentelemetry.instrumentation.django import DjangoInstrumentor

settings.configure(DEBUG=False, ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="x", MIDDLEWARE=[])
traced.set_up()
DjangoInstrumentor().instrument()
django.setup()

from django.core.asgi import get_asgi_application  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import path  # noqa: E402


def items(request):
    traced.work("items")
    return HttpResponse("items")


async def order(request):
    traced.work("order")
    return HttpResponse("order")


urlpatterns = [path("items", items), path("order", order)]
wsgi, asgi = get_wsgi_application(), get_asgi_application()
