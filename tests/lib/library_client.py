# SPDX-License-Identifier: GPL-2.0-only
"""A client of `pyperf-bpf mcp` by the library of the protocol's own authors (PyPI mcp), which is in an
environment of its own. It runs as a program:

    .cache/mcp/bin/python tests/lib/library_client.py PYPERF-BPF

For each line of JSON on stdin, {"tool": name, "arguments": {...}}, it prints one with what came back; for {}
the list of tools."""
import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def answer(session, asked):
    if not asked:
        listed = await session.list_tools()
        return {"tools": [tool.name for tool in listed.tools]}
    result = await session.call_tool(asked["tool"], asked["arguments"])
    content, = result.content
    return {"is_error": result.is_error, "text": content.text}


async def main(binary):
    server = StdioServerParameters(command=binary, args=["mcp"])
    async with stdio_client(server) as (reads, writes), ClientSession(reads, writes) as session:
        begun = await session.initialize()
        print(json.dumps({"server": begun.server_info.name, "version": begun.protocol_version}), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(await answer(session, json.loads(line))), flush=True)


asyncio.run(main(sys.argv[1]))
