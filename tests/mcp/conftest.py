"""The API on a real socket, behind the MCP server."""

from tests.serving import api_url as api_url
