# SPDX-License-Identifier: GPL-2.0-only
"""Views: a function, a method of a class, a coroutine, a generic one, and two of Django REST framework."""
import django
from burning import burn
from django.conf import settings

settings.configure(DEBUG=False, ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="x",
                   MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
                   INSTALLED_APPS=["rest_framework"],
                   REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None})
django.setup()

from django.core.asgi import get_asgi_application  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import path  # noqa: E402
from django.views import View  # noqa: E402
from django.views.decorators.csrf import csrf_exempt  # noqa: E402
from rest_framework.decorators import api_view  # noqa: E402
from rest_framework.response import Response  # noqa: E402
from rest_framework.views import APIView  # noqa: E402


def leaf_items():
    burn()


def leaf_cart():
    burn()


def leaf_order():
    burn()


def leaf_price():
    burn()


def leaf_stock():
    burn()


@csrf_exempt
def items(request):
    leaf_items()
    return HttpResponse("items")


class Cart(View):
    def get(self, request, number):
        leaf_cart()
        return HttpResponse("cart")


async def order(request):
    leaf_order()
    return HttpResponse("order")


class Price(APIView):
    def get(self, request):
        leaf_price()
        return Response("price")


@api_view(["GET"])
def stock(request):
    leaf_stock()
    return Response("stock")


urlpatterns = [path("items", items), path("cart/<int:number>", Cart.as_view()), path("order", order),
               path("price", Price.as_view()), path("stock", stock)]
wsgi, asgi = get_wsgi_application(), get_asgi_application()
