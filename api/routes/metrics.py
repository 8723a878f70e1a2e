"""What Prometheus asks for."""

import hmac
from functools import cache
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from api.routes.operations import VERSION
from api.security import Access, authorise, sent_key
from config.settings import Settings, settings
from db.models import DEFAULT_TENANT
from db.session import current_tenant
from domain.errors import ScopeMissing
from domain.keys import Scope
from services.exposition import exposition
from services.metrics import Reader
from workers.reporter import reporter

router = APIRouter(tags=["operations"])

PATH = "/metrics"
NEEDED = Access(Scope.ADMIN, Scope.ADMIN)


class _Text(Response):
    media_type = CONTENT_TYPE_LATEST


@cache
def _reader() -> Reader:
    # Looked up anew each time: a forked process has a reporter of its own.
    return Reader(lambda: reporter().report(), lambda: reporter().unreported())


async def _may_scrape(request: Request, response: Response, key: Annotated[str | None, Depends(sent_key)]) -> None:
    """Everybody if `metrics.open` says so, whoever sends `metrics.token`, else as any request of the scope admin, but
    only for the first tenant: what is told is of all of them."""
    if _is_let_in(settings(), key):
        return
    await authorise(NEEDED, request, response, key)
    if current_tenant() != DEFAULT_TENANT:
        raise ScopeMissing(
            "Metrics are of all tenants together: this needs `metrics.token`, or a key of the first one."
        )


def _is_let_in(current: Settings, key: str | None) -> bool:
    token = current.metrics.token
    if current.metrics.open or key is None or token is None:
        return current.metrics.open
    return hmac.compare_digest(key.encode(), token.get_secret_value().encode())


@router.get(PATH, response_class=_Text, dependencies=[Depends(_may_scrape)])
def get_metrics() -> Response:
    """Metrics of all processes in Prometheus' text format; every API process tells the same, so one is to be asked.

    Without a key only from the API's own machine, where it listens on loopback; `metrics.open` and `metrics.token` let
    others in. While Postgres is away it tells what is known: `citewell_up{store="postgres"}` is 0 then.
    """
    return _Text(exposition(_reader().read(settings()), VERSION))
