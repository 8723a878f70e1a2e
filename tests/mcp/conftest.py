"""The API on a real socket, behind the server of the protocol."""

from tests.serving import api_url as api_url
