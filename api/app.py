"""The HTTP application. It parses, calls a service and returns; it never computes: no parsing, no models."""

import ipaddress
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import chain
from typing import Any

import anyio.to_thread
import structlog
from fastapi import Depends, FastAPI

from api.errors import add_error_handlers
from api.middleware import BodyLimit, RequestLog
from api.routes import citations, completions, documents, operations, quality, queries, seed_stream, seeds
from api.schemas.problem import MEDIA_TYPE, Problem
from api.security import authenticated
from api.uploads import FORM_OVERHEAD_BYTES
from config.logging import configure_logging
from config.settings import settings
from db.session import dispose

log = structlog.get_logger("api")

BODY_LIMIT_BYTES = 1_000_000
# As many as the database pool has connections: a request may wait for a thread, but then finds a connection.
THREADS = 32

_DESCRIPTION = """Ask questions about your own documents and get answers that are proven: every sentence and every
citation is checked against the sources, and the whole history of the checks is kept. Errors are problem details
(RFC 9457). Offsets are code points, half-open."""
_CALLER = [Depends(authenticated)]
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Problem, "description": "The request cannot be served as it is."},
    422: {"model": Problem, "description": "A value of the request cannot be used; `errors` names the fields."},
    503: {"model": Problem, "description": "The database is away; try again after `Retry-After` seconds."},
}


def create_app() -> FastAPI:
    """The application as configured. Raises ConfigurationInvalid."""
    app = FastAPI(
        title="Citewell",
        version=operations.VERSION,
        description=_DESCRIPTION,
        lifespan=_lifespan,
        # A redirect would lose the body of an upload; a wrong slash is an error that says so.
        redirect_slashes=False,
    )
    add_error_handlers(app)
    upload_limit = settings().ingestion.max_bytes + FORM_OVERHEAD_BYTES
    app.add_middleware(BodyLimit, limit=BODY_LIMIT_BYTES, uploads={documents.router.prefix: upload_limit})
    app.add_middleware(RequestLog)
    app.include_router(operations.router)
    for routes in (documents, queries, completions, quality, seeds, seed_stream, citations):
        app.include_router(routes.router, responses=_PROBLEMS, dependencies=_CALLER)
    _describe_problems(app)
    return app


@asynccontextmanager
async def _lifespan(_: FastAPI) -> AsyncGenerator[None]:
    current = settings()
    configure_logging(current.log_level, "api", current.log_format)
    _take_over_uvicorns_logs()
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    if not _is_loopback(current.api_host):
        log.warning(
            "open_to_the_network", host=current.api_host, why="there are no keys yet: anyone can ask and delete"
        )
    yield
    dispose()


def _take_over_uvicorns_logs() -> None:
    # Its own handlers were installed before this application was imported; api.middleware writes the access log.
    for name in ("uvicorn", "uvicorn.access"):
        logging.getLogger(name).handlers.clear()
    logging.getLogger("uvicorn").propagate = True


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _describe_problems(app: FastAPI) -> None:
    """Make OpenAPI say that errors come as problem+json, which FastAPI has no word for."""
    described = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            operations_of = (methods.values() for methods in described()["paths"].values())
            for operation in chain.from_iterable(operations_of):
                for status, response in operation["responses"].items():
                    if status[0] in "45":
                        response["content"] = {MEDIA_TYPE: next(iter(response["content"].values()))}
        return described()

    app.openapi = openapi


app = create_app()
