"""A site on loopback whose pages a test writes, and which notes what it was asked for."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast


@dataclass
class Site:
    """`pages` by path: a body, (type, body), (status, headers, body), or a function that answers by itself."""

    url: str = ""
    pages: dict[str, object] = field(default_factory=dict[str, object])
    asked: list[str] = field(default_factory=list[str])
    validators: bool = True

    def sitemap(self, paths: list[str], at: str = "/sitemap.xml") -> None:
        entries = "".join(f"<url><loc>{self.url}{path}</loc></url>" for path in paths)
        xml = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
        self.pages[at] = ("application/xml", xml)

    def pages_asked(self) -> list[str]:
        return [path for path in self.asked if path != "/robots.txt"]


@contextmanager
def serving_a_site() -> Generator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            _answer(self, site)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _answer(handler: BaseHTTPRequestHandler, site: Site) -> None:
    page = site.pages.get(handler.path)
    status, headers, body = 200, {"content-type": "text/html"}, b""
    match page:
        case None:
            status = 404
        case str() | bytes():
            body = _bytes(page)
        case (str(type_), str() | bytes() as content):
            headers, body = {"content-type": type_}, _bytes(content)
        case (int(status), dict(), str() | bytes() as content):
            headers, body = dict(cast(tuple[int, dict[str, str]], page)[1]), _bytes(content)
        case _:
            assert callable(page)
            page(handler)
            return
    if status == 200 and site.validators:
        headers["etag"] = f'"{sha256(body).hexdigest()[:16]}"'
        if handler.headers.get("if-none-match") == headers["etag"]:
            status, body = 304, b""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("content-length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def endless(handler: BaseHTTPRequestHandler) -> None:
    """A page without end."""
    handler.send_response(200)
    handler.send_header("content-type", "text/html")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"<p>more and more</p>" * 1_000)
    except OSError:
        pass


def dripping(seconds: float) -> Callable[[BaseHTTPRequestHandler], None]:
    """A page that comes a byte at a time for so long."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/html")
        handler.end_headers()
        try:
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                handler.wfile.write(b".")
                time.sleep(0.05)
        except OSError:
            pass

    return answer


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content
