"""Health checks, for monitors and process managers, and the metrics that Prometheus scrapes."""

import asyncio
import hmac
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from api.http.errors import RETRY_AFTER_S, problem
from api.http.security import Access, authorise, keys_mode, sent_key
from api.schemas.operations.health import Checks, Health, NotReadyProblem, Ready
from config.settings import Settings, settings
from db.models import DEFAULT_TENANT
from db.session import current_tenant
from domain.errors.access import ScopeMissing
from domain.keys import Scope
from services.core.model_choice import last_settings, settings_without_model
from services.operations.exposition import exposition
from services.operations.metrics import Reader
from services.operations.readiness import check_readiness
from workers.background.heartbeat import reporter

router = APIRouter(tags=["operations"])

VERSION = version("citewell")
_PATIENCE_S = 0.3
_ASIDE = ThreadPoolExecutor(1, "health")
"""Health checks have a thread of their own, which no request waits for."""


@router.get("/healthz", name="get_health")
async def healthz() -> Health:
    """The process is alive; its dependencies are not checked."""
    return Health(version=VERSION, provider=(await _current()).provider)


async def _current() -> Settings:
    """Return the settings in use; if the database does not answer within a short wait, those that were read last."""
    reading = asyncio.get_running_loop().run_in_executor(_ASIDE, settings_without_model)
    done, _ = await asyncio.wait([reading], timeout=_PATIENCE_S)
    return reading.result() if done else last_settings()


@router.get("/readyz", name="get_readiness", response_model=Ready, responses={503: {"model": NotReadyProblem}})
def readyz(request: Request) -> Ready | Response:
    """Readiness: whether Postgres answers, has the schema that this version needs and isolates tenants. A missing
    broker is reported, but only causes delays."""
    readiness = check_readiness(settings())
    checks = Checks(postgres=readiness.postgres, schema=readiness.schema, role=readiness.role, broker=readiness.broker)
    if readiness.ready:
        return Ready(keys=keys_mode(settings()), checks=checks)
    return problem(
        request.url.path,
        503,
        "not_ready",
        readiness.advice,
        headers={"Retry-After": str(RETRY_AFTER_S)},
        checks=checks.model_dump(by_alias=True),
    )


metrics_router = APIRouter(tags=["operations"])

METRICS_PATH = "/metrics"
METRICS_ACCESS = Access(Scope.ADMIN, Scope.ADMIN)


class _Text(Response):
    media_type = CONTENT_TYPE_LATEST


@cache
def _reader() -> Reader:
    # The reporter is looked up each time, because a forked process has its own.
    return Reader(lambda: reporter().report(), lambda: reporter().unreported())


async def _may_scrape(request: Request, response: Response, key: Annotated[str | None, Depends(sent_key)]) -> None:
    """Allow anyone if `metrics.open` is set, and anyone with `metrics.token`; otherwise require the scope admin as
    other requests do, but only of the first tenant, because the metrics cover all tenants."""
    current = settings().metrics
    if current.open:
        return
    token = current.token
    if key is not None and token is not None and hmac.compare_digest(key.encode(), token.get_secret_value().encode()):
        return
    await authorise(METRICS_ACCESS, request, response, key)
    if current_tenant() != DEFAULT_TENANT:
        raise ScopeMissing(
            "Metrics are of all tenants together: this needs `metrics.token`, or a key of the first one."
        )


@metrics_router.get(METRICS_PATH, response_class=_Text, dependencies=[Depends(_may_scrape)])
def get_metrics() -> Response:
    """Metrics of all processes in Prometheus' text format. Every API process returns the same metrics, so scrape only
    one.

    Without a key the endpoint is available only from the API's own machine, if the API listens on loopback;
    `metrics.open` and `metrics.token` allow others. While Postgres is unreachable it reports what is known, with
    `citewell_up{store="postgres"}` at 0.
    """
    return _Text(exposition(_reader().read(settings_without_model()), VERSION))
