"""People who sign in at a real provider, and the API as it is then."""

import json
from collections.abc import Generator

import pytest

from config.settings import settings
from services.operations import api_keys
from tests.api.people.browsers import CLIENT, RULES
from tests.api.people.provider import Provider, running_provider


@pytest.fixture(scope="session")
def one_provider() -> Generator[Provider]:
    with running_provider() as provider:
        yield provider


@pytest.fixture
def provider(
    one_provider: Provider, database: str, api_url: str, monkeypatch: pytest.MonkeyPatch
) -> Generator[Provider]:
    """The provider, configured for sign-in; changes of rights are noticed after a fifth of a second."""
    assert database
    configured = {
        "ISSUER": one_provider.issuer,
        "CLIENT_ID": CLIENT,
        "CLIENT_SECRET": "s3cret",
        "GROUPS": json.dumps(RULES),
    }
    for name, value in configured.items():
        monkeypatch.setenv(f"CITEWELL_ACCESS__OIDC__{name}", value)
    monkeypatch.setenv("CITEWELL_PUBLIC_URL", api_url)
    monkeypatch.setattr(api_keys, "TRUST_FOR_S", 0.2)
    settings.cache_clear()
    one_provider.forge = None
    yield one_provider
    settings.cache_clear()
