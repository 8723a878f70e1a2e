"""Bytes on a connection, for what an HTTP client would not send."""

import socket
from urllib.parse import urlsplit


def connected_to(url: str) -> socket.socket:
    at = urlsplit(url)
    assert at.hostname
    assert at.port
    return socket.create_connection((at.hostname, at.port), timeout=5)


def told(connection: socket.socket) -> bytes:
    """Everything received until the server closes the connection."""
    got = b""
    while part := connection.recv(65_536):
        got += part
    return got
