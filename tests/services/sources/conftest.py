"""A site on this machine that sources may read."""

from collections.abc import Generator

import pytest

from clients.sources import web
from tests.services.sources.place import configure
from tests.services.sources.site import Site, serving_a_site


@pytest.fixture
def site(database: str, monkeypatch: pytest.MonkeyPatch) -> Generator[Site]:
    assert database
    configure(monkeypatch, allowed_networks='["127.0.0.0/8"]', host_delay_s="0")
    web.forget()
    with serving_a_site() as serving:
        yield serving
