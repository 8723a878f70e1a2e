"""The dashboard at `/`: static files for a browser. It uses the same API as every client, with a key where needed.

The page refers to its scripts and styles below a path with the digest of all of them, so that a browser keeps them for
good and still loads a new version at once. The scripts of the first page are loaded together, instead of one after the
other along their imports.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from config.settings import settings

FILES = Path(__file__).parent.parent / "dashboard"

# Documents are untrusted: even if one brought markup into the page, the markup could not run, load or call anything.
# The other policies, and the policies of the page's files, are the same in every response (api.http.browsers).
_POLICY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",
}
_ASK_EACH_TIME = {"Cache-Control": "no-cache"}  # an unchanged file costs a 304
_KEEP = {"Cache-Control": "public, max-age=31536000, immutable"}
_STYLES = "css/page.css"
_FIRST = ("js/app.js", "js/pages/ask.js")
_NEXT = ("js/parts/upload.js",)  # its texts come with those of the first page
_FIRST_TEXTS = {f"texts.{language}.first.json": f"texts.{language}.json" for language in ("en", "ko")}
_IMPORTED = re.compile(r'^(?:import|export) [^;]*?from "([^"]+)";', re.MULTILINE)
_BELOW_A_DIGEST = re.compile(r"^[0-9a-f]{12}/")
_IMPORTED_STYLE = re.compile(r'@import url\("([^"]+)"\);')

router = APIRouter(include_in_schema=False)


@router.api_route("/", methods=["GET", "HEAD"])
def index() -> Response:
    """The dashboard's only HTML page; its scripts draw the rest."""
    page = _page().replace("<html ", "<html data-people ", 1) if settings().has_people else _page()
    return Response(page, media_type="text/html", headers={**_POLICY, **_ASK_EACH_TIME})


class Assets(StaticFiles):
    """The scripts, styles and pictures of the page, by name and below the digest."""

    def __init__(self) -> None:
        super().__init__(directory=FILES)

    async def get_response(self, path: str, scope: Scope) -> Response:
        # During an upgrade, a page of another version asks for its own digest: it gets the file of this version, and
        # the browser asks again each time.
        name = _BELOW_A_DIGEST.sub("", path)
        if name == _STYLES:
            response = Response(_styles(), media_type="text/css")
        elif name in _FIRST_TEXTS:
            response = Response(_first_texts(_FIRST_TEXTS[name]), media_type="application/json")
        else:
            response = await super().get_response(name, scope)
        response.headers.update(_KEEP if path == f"{digest()}/{name}" else _ASK_EACH_TIME)
        return response


@cache
def digest() -> str:
    files = sorted(path for path in FILES.rglob("*") if path.is_file())
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


@cache
def _page() -> str:
    loaded = "".join(
        f'\n    <link rel="modulepreload" href="dashboard/{name}" />' for name in sorted(set(_scripts(_FIRST)))
    )
    page = (FILES / "index.html").read_text(encoding="utf-8").replace("\n  </head>", f"{loaded}\n  </head>")
    return page.replace('="dashboard/', f'="dashboard/{digest()}/')


def _scripts(names: tuple[str, ...]) -> Iterator[str]:
    waiting, seen = list(names), set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        yield name
        script = FILES / name
        for imported in _IMPORTED.findall(script.read_text(encoding="utf-8")):
            waiting.append((script.parent / imported).resolve().relative_to(FILES.resolve()).as_posix())


@cache
def _first_texts(name: str) -> str:
    """Return the texts of the scripts that the first page needs now or may need next; the texts of all scripts weigh
    six times as much."""
    texts: dict[str, dict[str, str]] = json.loads((FILES / name).read_text(encoding="utf-8"))
    modules = {script.removeprefix("js/").removesuffix(".js") for script in _scripts(_FIRST + _NEXT)}
    return json.dumps({module: texts[module] for module in texts.keys() & modules}, ensure_ascii=False)


@cache
def _styles() -> str:
    """Return one file with the content of all imported styles: a browser draws nothing before the last one has
    arrived."""
    folder = (FILES / _STYLES).parent

    def inlined(reference: re.Match[str]) -> str:
        return (folder / reference[1]).read_text(encoding="utf-8")

    return _IMPORTED_STYLE.sub(inlined, (FILES / _STYLES).read_text(encoding="utf-8"))
