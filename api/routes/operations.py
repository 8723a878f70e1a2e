"""Health checks, for monitors and process managers."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

from fastapi import APIRouter, Request
from fastapi.responses import Response

from api.http.errors import RETRY_AFTER_S, problem
from api.http.security import keys_mode
from api.schemas.operations.health import Checks, Health, NotReadyProblem, Ready
from config.settings import Settings, settings
from services.core.model_choice import last_settings, settings_without_model
from services.operations.readiness import check_readiness

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
