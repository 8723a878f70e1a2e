"""The endpoint that Prometheus scrapes."""

import hmac
from functools import cache
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from api.http.security import Access, authorise, sent_key
from api.routes.operations import VERSION
from config.settings import settings
from db.models import DEFAULT_TENANT
from db.session import current_tenant
from domain.errors.access import ScopeMissing
from domain.keys import Scope
from services.core.model_choice import settings_without_model
from services.operations.exposition import exposition
from services.operations.metrics import Reader
from workers.background.heartbeat import reporter

router = APIRouter(tags=["operations"])

PATH = "/metrics"
NEEDED = Access(Scope.ADMIN, Scope.ADMIN)


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
    await authorise(NEEDED, request, response, key)
    if current_tenant() != DEFAULT_TENANT:
        raise ScopeMissing(
            "Metrics are of all tenants together: this needs `metrics.token`, or a key of the first one."
        )


@router.get(PATH, response_class=_Text, dependencies=[Depends(_may_scrape)])
def get_metrics() -> Response:
    """Metrics of all processes in Prometheus' text format. Every API process returns the same metrics, so scrape only
    one.

    Without a key the endpoint is available only from the API's own machine, if the API listens on loopback;
    `metrics.open` and `metrics.token` allow others. While Postgres is unreachable it reports what is known, with
    `citewell_up{store="postgres"}` at 0.
    """
    return _Text(exposition(_reader().read(settings_without_model()), VERSION))
