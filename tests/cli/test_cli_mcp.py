"""`citewell mcp` on the command line; tests/mcp tests the server itself."""

import socket
import subprocess
import sys

from tests.cli.conftest import Citewell


def test_where_to_listen_is_for_http_only(citewell: Citewell) -> None:  # N9
    outcome = citewell("mcp", "--port", "8765")
    assert (outcome.code, "for --http" in outcome.complaint) == (2, True)


def test_a_port_that_is_taken_is_told(citewell: Citewell) -> None:  # N9
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        outcome = citewell("mcp", "--http", "--port", str(port))
    assert outcome.code == 2
    assert f"cannot listen on 127.0.0.1 port {port}" in outcome.complaint
    assert "--port" in outcome.complaint


def test_a_missing_package_is_told_with_what_to_install() -> None:  # N9
    code = "import sys; sys.modules['mcp'] = None; from citewell.cli.main import run; sys.exit(run(['mcp']))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr == (
        "citewell: the MCP server needs a package that is not installed: pip install 'citewell[mcp]'\n"
    )
