"""The MCP server, over standard input and output or over HTTP."""

import socket
from collections.abc import Mapping
from importlib.metadata import version
from inspect import getdoc
from typing import Any, cast

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import ToolAnnotations
from pydantic import ValidationError

from citewell.cli.console import say
from citewell.cli.errors import USAGE, CommandFailed
from citewell.mcp.reaching import Reach, is_loopback
from citewell.mcp.shapes import NOTICE
from citewell.mcp.tools import Tools

PATH = "/mcp"
_INSTRUCTIONS = f"""Citewell answers questions from the user's own documents and proves the answers: every
sentence and every citation is checked against the sources. Use `ask` for anything the documents may say, and show its
citations; `verify` to check a text against sources before you rely on it; `list_workspaces`, `list_documents`,
`search_documents` and `read_source` to look for yourself. {NOTICE}"""
_LOOKS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
# A question is stored with its history, and may cost a model call: hosts should not repeat it unasked.
_WORKS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)


class _PlainServer(MCPServer):
    """Explains invalid arguments of a call in words of its own, because those of pydantic are for programmers."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None) -> Any:
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            raise ToolError(f"{name}: {'; '.join(map(_complaint, error.__cause__.errors()))}.") from error.__cause__


def _complaint(fault: Mapping[str, object]) -> str:
    field = ".".join(map(str, cast("tuple[object, ...]", fault["loc"])))
    message = str(fault["msg"]).removeprefix("Value error, ").removeprefix("Input ").removeprefix("List ")
    message = message.replace(" after validation", "")
    return f"`{field}` {'is required' if fault['type'] == 'missing' else message}"


def build_server(reach: Reach) -> MCPServer:
    server = _PlainServer(
        "citewell", "Citewell", instructions=_INSTRUCTIONS, version=version("citewell"), log_level="WARNING"
    )
    tools = Tools(reach)
    for tool, title, annotations in (
        (tools.ask, "Ask the documents", _WORKS),
        (tools.verify, "Verify a text against sources", _WORKS),
        (tools.search_documents, "Search the documents", _LOOKS),
        (tools.read_source, "Read a document", _LOOKS),
        (tools.list_documents, "List the documents", _LOOKS),
        (tools.list_workspaces, "List the workspaces", _LOOKS),
    ):
        server.add_tool(tool, title=title, description=getdoc(tool), annotations=annotations)
    return server


def serve_stdio(url: str | None, key: str | None) -> None:
    build_server(Reach(url, key)).run("stdio")


def serve_http(url: str | None, key: str | None, host: str, port: int) -> None:
    """Serve streamable HTTP at /mcp until Ctrl-C. Beyond loopback every caller needs a key of its own.

    Raises CommandFailed when it cannot listen on the address.
    """
    local = is_loopback(host)
    server = build_server(Reach(url, key, lends_key=local))
    with listening(host, port) as listener:
        port = listener.getsockname()[1]
        security = _security(host, port) if local else TransportSecuritySettings(enable_dns_rebinding_protection=False)
        app = server.streamable_http_app(streamable_http_path=PATH, host=host, transport_security=security)
        config = uvicorn.Config(
            app,
            http="api.patience:PatientProtocol",
            ws="none",
            server_header=False,
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=3,
        )
        name = f"[{host}]" if ":" in host else host
        say(f"the MCP server is ready at http://{name}:{port}{PATH}; Ctrl-C stops it")
        uvicorn.Server(config).run(sockets=[listener])


def _security(host: str, port: int) -> TransportSecuritySettings:
    """Protect a loopback server from web pages in a browser: accept only names of this machine as host, and no origin
    of another local program."""
    names = sorted({host, "127.0.0.1", "localhost", "[::1]"})
    hosts = [name + suffix for name in names for suffix in ("", ":*")]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{name}:{port}" for name in names])


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that accepts connections. Raises CommandFailed where the address cannot be used."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.create_server((host, port), family=family)
        # asyncio sends small packets at once only where the protocol is named; otherwise each answer would wait 40 ms.
        return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, listener.detach())
    except OSError as error:
        raise CommandFailed(
            f"cannot listen on {host} port {port}: {error.strerror}; try another --port", USAGE
        ) from None
