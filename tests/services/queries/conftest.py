"""Settings as they are with a key of Groq."""

from collections.abc import Iterator

import pytest

from config.settings import settings


@pytest.fixture
def groq_configured(database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    assert database
    with monkeypatch.context() as changed:
        changed.setenv("GROQ_API_KEY", "gsk_x")
        settings.cache_clear()
        yield
    settings.cache_clear()
