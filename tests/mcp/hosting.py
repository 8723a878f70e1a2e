"""Acts as an MCP host: starts the server as a process or in this one, and calls its tools."""

import os
import re
import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from citewell.mcp.reaching import Reach
from citewell.mcp.server import build_server

T = TypeVar("T")
PROGRAM = ["-m", "citewell.cli.main", "mcp"]
ROOT = Path(__file__).parents[2]


def acting(server: Any, act: Callable[[Client], Awaitable[T]], mode: str = "auto") -> T:
    """The result of `act` with a client of the server."""

    async def run() -> T:
        async with Client(server, mode=mode) as client:
            return await act(client)

    return anyio.run(run)


def call(server: Any, tool: str, **arguments: Any) -> CallToolResult:
    return acting(server, lambda client: client.call_tool(tool, arguments))


def told(result: CallToolResult) -> dict[str, Any]:
    """The structured content of a successful result."""
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    return result.structured_content


def complaint(result: CallToolResult) -> str:
    """The text of an error result."""
    assert result.is_error, text_of(result)
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@cache
def in_process(url: str | None, key: str | None = None) -> Any:
    """A server in this process; it keeps nothing between calls, and to describe its tools takes 50 ms."""
    return build_server(Reach(url, key))


def by_stdio(**environment: str) -> StdioServerParameters:
    """The server as hosts start it."""
    env = {"PYTHONPATH": str(ROOT), **environment}
    return StdioServerParameters(command=sys.executable, args=PROGRAM, env=env)


@asynccontextmanager
async def by_http(url: str, **headers: str) -> AsyncGenerator[Any]:
    """A listening server, called with these headers."""
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
        streamable_http_client(url, http_client=http) as streams,
    ):
        yield streams


@contextmanager
def listening(*options: str, **environment: str) -> Generator[str]:
    """Run the server with --http for the length of the block; yield its address. Ctrl-C ends it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CITEWELL_")}
    command = [sys.executable, *PROGRAM, "--http", "--port", "0", *options]
    env = {**kept, "PYTHONPATH": str(ROOT), **environment}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            ready = re.search(r"http://\S+:\d+/mcp", line)
            assert ready, line + process.stderr.read()
            yield ready[0]
        finally:
            process.terminate()
            out, _ = process.communicate(timeout=60)
        assert out == ""
