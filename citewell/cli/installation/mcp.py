"""`citewell mcp`: the documents as tools of a model."""

from importlib import import_module
from importlib.util import find_spec
from typing import Annotated

import typer

from citewell.cli.errors import CommandFailed
from citewell.cli.options import Url
from citewell_client import key_of_environment
from config.settings import settings

app = typer.Typer(rich_markup_mode=None, add_completion=False)
_HOST, _PORT = "127.0.0.1", 8765


@app.command()
def mcp(
    http: Annotated[
        bool, typer.Option("--http", help="Streamable HTTP, instead of standard input and output.")
    ] = False,
    host: Annotated[str | None, typer.Option(help=f"With --http: where to listen. [default: {_HOST}]")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help=f"With --http; 0 takes a free one. [default: {_PORT}]")
    ] = None,
    url: Url = None,
) -> None:
    """Serve the Model Context Protocol in front of a running Citewell, with the key in CITEWELL_API_KEY.

    Hosts such as Claude Desktop and VS Code start it themselves; docs/mcp.md has their configuration.
    """
    if find_spec("mcp") is None:
        raise CommandFailed("the MCP server needs a package that is not installed: pip install 'citewell[mcp]'")
    if not http and (host is not None or port is not None):
        raise CommandFailed("--host and --port are for --http; without it standard input and output are served")
    settings()  # invalid settings are reported now, not in the first tool's result
    # Imported here because the package is optional.
    server = import_module("citewell.mcp.server")
    if http:
        server.serve_http(url, key_of_environment(), host or _HOST, _PORT if port is None else port)
    else:
        server.serve_stdio(url, key_of_environment())
