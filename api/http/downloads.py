"""Files that a browser saves instead of showing, because other people wrote their contents, and the address that their
links begin with."""

from typing import Any
from urllib.parse import quote

from fastapi import Request, Response

from config.settings import settings

DOWNLOAD: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file, with its name in `Content-Disposition`.",
        "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
    }
}


def download(content: bytes, filename: str, media_type: str) -> Response:
    """Return `content` as a file of that name; its type has no charset, because the charset of a stored file is not
    known."""
    plain = "".join(sign if " " <= sign <= "~" and sign not in '"\\\\%' else "_" for sign in filename)
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"
    return Response(content, headers={"Content-Type": media_type, "Content-Disposition": disposition})


def page_url(request: Request) -> str:
    """Return the address of the dashboard: the configured one, or that of the request."""
    return (settings().public_url or str(request.base_url)).rstrip("/")
