"""The HTTP application. It validates, calls a service and returns. It computes nothing but the vector of a search
(decision 14): it parses no documents and runs no models."""

import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio.to_thread
import structlog
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi_offline import FastAPIOffline
from starlette.middleware.gzip import GZipMiddleware

from api.http.accepted_requests import KNOWN_PARAMETERS
from api.http.browsers import OtherOrigins, Policies
from api.http.errors import add_error_handlers
from api.http.methods import Methods
from api.http.middleware import BodyLimit, RequestLog
from api.http.roles import role_needed
from api.http.security import Access, access, keys_mode
from api.http.uploads import FORM_OVERHEAD_BYTES
from api.routes import (
    audits,
    batches,
    completions,
    conversations,
    dashboard,
    feedback,
    guard,
    keys,
    model_servers,
    operations,
    quality,
    queries,
    responses,
    search,
    seeds,
    sharing,
    verifications,
    webhooks,
)
from api.routes.documents import chunks, documents, imports, originals, reingestions, sources, workspaces
from api.routes.people import me, members, sign_in
from api.schemas.glossary import FIELDS, PARAMETERS, TAGS
from api.schemas.problem import MEDIA_TYPE, Problem
from clients.telemetry.tracing import start_tracing, stop_tracing
from config.logging import configure_logging
from config.settings import settings
from db.session import dispose, end_silent_statements
from domain.keys import Scope
from workers.background.heartbeat import reporter
from workers.processes.runtime import collect_new_objects_only
from workers.starting.launch import launcher

SERVERS = [{"url": "/", "description": "The server that this description comes from."}]
TAG_DESCRIPTIONS: list[dict[str, Any]] = [{"name": name, "description": text} for name, text in TAGS.items()]

_Json = dict[str, Any]

log = structlog.get_logger("api")

BODY_LIMIT_BYTES = 1_000_000
# There are more threads than connections in the pool: most requests need a connection for a few milliseconds, and wait
# for their turn.
THREADS = 32

_DESCRIPTION = """Ask questions about your own documents and get answers that are proven: every sentence and every
citation is checked against the sources, and the whole history of the checks is kept. Errors are problem details
(RFC 9457). Offsets are code points, half-open."""
# These routes show and change only objects that belong to a workspace, so keys limited to workspaces may use them.
_DOCUMENTS = Access(Scope.READ, Scope.DOCUMENTS, within_workspaces=True)
_ASKING = Access(Scope.READ, Scope.ASK, within_workspaces=True)
_READING = Access(Scope.READ, Scope.READ, within_workspaces=True)
# Routes without an entry here are not served; the `operations` routes need no key.
_ROUTERS = (
    (workspaces.router, _DOCUMENTS),
    (documents.router, _DOCUMENTS),
    (chunks.router, _DOCUMENTS),
    (originals.router, _DOCUMENTS),
    (imports.router, _DOCUMENTS),
    (reingestions.router, _DOCUMENTS),
    (sources.router, _DOCUMENTS),
    (queries.router, _ASKING),
    (conversations.router, _ASKING),
    (conversations.threads_router, _ASKING),
    # Batches first: their path also matches the path of a verification, where the id need not be a UUID.
    (batches.router, _ASKING),
    (verifications.router, _ASKING),
    (audits.router, _ASKING),
    (feedback.router, _ASKING),
    (sharing.router, _ASKING),
    (quality.router, _READING),
    (search.router, _READING),
    (quality.history_router, _READING),
    (completions.router, _ASKING),
    (responses.router, _ASKING),
    (guard.router, _ASKING),
    (seeds.router, _ASKING),
    (seeds.stream_router, _ASKING),
    (seeds.citations_router, _ASKING),
    (webhooks.router, Access(Scope.WEBHOOKS, Scope.WEBHOOKS)),
    (keys.router, Access(Scope.ADMIN, Scope.ADMIN)),
    (me.router, _READING),
    # Only keys for the whole tenant manage members; people who own a workspace manage the members of that workspace.
    (members.router, Access(Scope.ADMIN, Scope.ADMIN, within_workspaces=True)),
    (model_servers.router, Access(Scope.ADMIN, Scope.ADMIN)),
)
# OpenAI's clients and the proxies in front of Citewell may add parameters of their own.
_OPEN_TO_PARAMETERS = (completions.router, responses.router, guard.router)
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Problem, "description": "The request cannot be served as it is."},
    422: {"model": Problem, "description": "A value of the request cannot be used; `errors` names the fields."},
    503: {"model": Problem, "description": "The database is away, or too much waits; `Retry-After` says how long."},
}


def create_app() -> FastAPI:
    """Build the application as configured. Raises ConfigurationInvalid."""
    # /docs works without the internet, because this server serves its scripts.
    app = FastAPIOffline(
        title="Citewell",
        version=operations.VERSION,
        description=_DESCRIPTION,
        lifespan=_lifespan,
        # A redirect would lose the body of an upload; for a wrong slash a clear error is better.
        redirect_slashes=False,
        static_url="/docs-assets",
        servers=SERVERS,
        openapi_tags=TAG_DESCRIPTIONS,
        generate_unique_id_function=operation_id,
    )
    add_error_handlers(app)
    _add_middleware(app)
    app.include_router(operations.router)
    app.include_router(operations.metrics_router, responses=_PROBLEMS)
    app.include_router(sharing.open_router, responses=_PROBLEMS, dependencies=[KNOWN_PARAMETERS])
    app.include_router(dashboard.router)
    app.include_router(sign_in.router)
    app.mount("/dashboard", dashboard.Assets(), name="dashboard")
    for router, needs in _ROUTERS:
        checks = [access(needs)] if router in _OPEN_TO_PARAMETERS else [access(needs), KNOWN_PARAMETERS]
        app.include_router(router, responses=_PROBLEMS, dependencies=checks)
    routes = ((route, needs) for router, needs in _ROUTERS for route in router.routes)
    needed = {route.path_format: needs for route, needs in routes if isinstance(route, APIRoute)}
    complete(app, {**needed, operations.METRICS_PATH: operations.METRICS_ACCESS})
    others = (operations.router, operations.metrics_router, sharing.open_router, dashboard.router, sign_in.router)
    routers = (*others, *(router for router, _ in _ROUTERS))
    app.state.methods = Methods([*app.routes, *(route for router in routers for route in router.routes)])
    return app


def _add_middleware(app: FastAPI) -> None:
    uploads = {
        documents.router.prefix: (settings().ingestion.max_bytes + FORM_OVERHEAD_BYTES, "ingestion.max_bytes"),
        imports.router.prefix: (
            settings().ingestion.import_max_bytes + FORM_OVERHEAD_BYTES,
            "ingestion.import_max_bytes",
        ),
        verifications.router.prefix: (settings().verifying.max_bytes, "verifying.max_bytes"),
        batches.router.prefix: (settings().verifying.batch_max_bytes, "verifying.batch_max_bytes"),
        guard.router.prefix + guard.GATEWAY: (settings().verifying.max_bytes, "verifying.max_bytes"),
        guard.router.prefix + guard.PROXY: (settings().verifying.max_bytes, "verifying.max_bytes"),
    }
    # Text shrinks to a quarter; more effort than this costs more time than it saves.
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=4)
    app.add_middleware(BodyLimit, limit=BODY_LIMIT_BYTES, uploads=uploads)
    app.add_middleware(RequestLog)
    app.add_middleware(Policies)
    if origins := settings().access.origins:
        app.add_middleware(OtherOrigins, origins=origins)


@asynccontextmanager
async def _lifespan(_: FastAPI) -> AsyncGenerator[None]:
    current = settings()
    configure_logging(current.log_level, "api", current.log_format)
    # Uvicorn's own handlers were installed before this application was imported; api.http.middleware writes the
    # access log.
    for name in ("uvicorn", "uvicorn.access"):
        logging.getLogger(name).handlers.clear()
    logging.getLogger("uvicorn").propagate = True
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    log.info("access", keys=keys_mode(current), host=current.api_host)
    start_tracing(current.tracing, "api")
    end_silent_statements()
    launcher().start()
    reporter().start()
    collect_new_objects_only()
    yield
    launcher().stop()
    reporter().stop()
    stop_tracing()
    dispose()


def operation_id(route: APIRoute) -> str:
    return route.name


def complete(app: FastAPI, needs: Mapping[str, Access]) -> None:
    """Complete OpenAPI's description of the API with what FastAPI does not express: errors are problem+json, a key
    needs a scope, and what many schemas share is described once (api.schemas.glossary).
    """
    described = app.openapi

    def openapi() -> _Json:
        if app.openapi_schema is None:
            _complete(described(), needs)
        return described()

    app.openapi = openapi


def _complete(schema: _Json, needs: Mapping[str, Access]) -> None:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            operation["summary"] = operation["operationId"].replace("_", " ").capitalize()
            _describe_operation(operation)
            if path in needs:
                scope = needs[path].needed(method.upper()).value
                operation["security"] = [{name: [scope] for name in schemes} for schemes in operation["security"]]
                role = role_needed(operation["operationId"], Scope(scope)).value
                operation["description"] += f"\n\nA key needs the scope `{scope}`, a person the role `{role}`."
    for model, definition in schema["components"]["schemas"].items():
        for name, field in definition.get("properties", {}).items():
            if text := FIELDS.get(f"{model}.{name}") or FIELDS.get(name):
                field.setdefault("description", text)


def _describe_operation(operation: _Json) -> None:
    for status, response in operation["responses"].items():
        if status[0] in "45":
            # FastAPI files the problem under the media type of the route's own responses.
            response["content"] = {
                MEDIA_TYPE if "$ref" in body["schema"] else kind: body for kind, body in response["content"].items()
            }
    for parameter in operation.get("parameters", ()):
        if text := PARAMETERS.get(parameter["name"]):
            parameter.setdefault("description", text)


app = create_app()
