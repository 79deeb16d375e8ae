# SPDX-License-Identifier: GPL-2.0-only
"""Handlers of gRPC: one answer, and a stream of them; and who asks: grpc_app.py serve|ask PORT."""
import sys
from concurrent import futures

import grpc
from burning import burn


def leaf_items():
    burn()


def leaf_orders():
    burn()


def items(request, context):
    leaf_items()
    return b"items"


def orders(request, context):
    for _ in range(3):
        leaf_orders()
        yield b"order"


class Shop(grpc.GenericRpcHandler):
    def service(self, details):
        if details.method == "/shop/items":
            return grpc.unary_unary_rpc_method_handler(items)
        return grpc.unary_stream_rpc_method_handler(orders)


def serve(address):
    server = grpc.server(futures.ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((Shop(),))
    assert server.add_insecure_port(address)
    server.start()
    server.wait_for_termination()


def ask(address):
    channel = grpc.insecure_channel(address)
    grpc.channel_ready_future(channel).result(60)
    print("{}", flush=True)
    while True:
        channel.unary_unary("/shop/items")(b"")
        list(channel.unary_stream("/shop/orders")(b""))


{"serve": serve, "ask": ask}[sys.argv[1]]("127.0.0.1:" + sys.argv[2])
