"""A server on a real socket that breaks connections at given places."""

import socket
import socketserver
import struct
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.simulators.running import serving

_HEAD_END = b"\r\n\r\n"
# With this option a socket that is closed sends a reset instead of a farewell.
_RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True)
class Reply:
    """The bytes sent before the connection ends, with a reset or without."""

    sent: bytes
    reset: bool = False


@dataclass
class Cutting:
    """The server's address, and the heads of the requests it got, in lower case."""

    url: str
    heads: list[str] = field(default_factory=list[str])

    def sent(self, name: str) -> list[str | None]:
        """The values of one header, None where a request had none."""
        lines = [dict(line.split(": ", 1) for line in head.split("\r\n")[1:]) for head in self.heads]
        return [head.get(name) for head in lines]


def plain(body: str, status: str = "200 OK", kind: str = "application/json", more: str = "") -> bytes:
    """A whole response."""
    content = body.encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(content)}\r\n{more}connection: close"
    return head.encode() + _HEAD_END + content


def until_closed(body: bytes) -> bytes:
    """A response that ends with its connection: a cut looks like its end."""
    return b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close" + _HEAD_END + body


def chunked(parts: Iterable[bytes]) -> bytes:
    """A response whose end is marked: a cut is noticed."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked" + _HEAD_END
    return head + b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts if part) + b"0\r\n\r\n"


@contextmanager
def cutting(*replies: Reply, reply: Callable[[str], Reply] | None = None) -> Generator[Cutting]:
    """Answer consecutive connections with these replies, repeating the last one; or with `reply(head)`."""
    left = list(replies)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            connection: socket.socket = self.request
            head = _read_head(connection)
            state.heads.append(head)
            answer = reply(head) if reply else left.pop(0) if len(left) > 1 else left[0]
            connection.sendall(answer.sent)
            if answer.reset:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                connection.close()

    server = socketserver.TCPServer(("127.0.0.1", 0), Handler)
    state = Cutting(f"http://127.0.0.1:{server.server_address[1]}")
    with serving(server):
        yield state


def _read_head(connection: socket.socket) -> str:
    received = b""
    while _HEAD_END not in received:
        if not (part := connection.recv(65536)):
            break
        received += part
    head, _, body = received.partition(_HEAD_END)
    text = head.decode().lower()
    # Unread data would make the system answer with a reset.
    for line in text.split("\r\n"):
        if line.startswith("content-length: "):
            while len(body) < int(line.split()[1]):
                body += connection.recv(65536)
    return text
