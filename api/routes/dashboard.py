"""The page at `/`: static files for a browser. It uses the same API as every client, with a key where needed."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FILES = Path(__file__).parent.parent / "dashboard"

# Documents are untrusted: even if one got markup into the page, it could not run, load or call anything. The
# other policies are those of every response (api.http.policies).
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
    # A new version is seen at once; an unchanged file costs a 304.
    "Cache-Control": "no-cache",
}

router = APIRouter(include_in_schema=False)


@router.api_route("/", methods=["GET", "HEAD"])
def index() -> FileResponse:
    """The one page; its scripts draw the rest."""
    return FileResponse(FILES / "index.html", headers=_HEADERS)


class Assets(StaticFiles):
    """The page's scripts, styles and pictures."""

    def __init__(self) -> None:
        super().__init__(directory=FILES)

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(_HEADERS)
        return response
