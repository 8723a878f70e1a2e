"""The model for each configuration."""

import pytest
from pydantic import SecretStr

from clients.llm.factory import make_model
from config.models import ModelSettings
from config.settings import ConfigurationInvalid, Settings
from verify_material.rows import for_all_rows


def settings(key: str | None, url: str = "https://api.groq.com", **models: object) -> Settings:
    """Settings independent of the environment."""
    return Settings(
        groq_api_key=None if key is None else SecretStr(key),
        groq_base_url=url,
        models=ModelSettings.model_validate(models),
    )


@pytest.mark.parametrize(("key", "provider"), [(None, "offline"), ("", "offline"), ("gsk_x", "groq")])
async def test_without_a_key_the_model_is_offline(key: str | None, provider: str) -> None:
    model = make_model(settings(key))
    await model.aclose()
    assert model.provider == provider


@pytest.mark.parametrize("key", [None, "", " "])
def test_groq_without_a_key_is_a_clear_error(key: str | None) -> None:
    with pytest.raises(ConfigurationInvalid, match="GROQ_API_KEY is not set"):
        make_model(settings(key, provider="groq"))


def test_a_key_that_no_header_can_carry_is_a_clear_error_that_does_not_show_it() -> None:
    with pytest.raises(ConfigurationInvalid, match="GROQ_API_KEY has characters") as caught:
        make_model(settings("gsk_비밀"))
    assert "비밀" not in str(caught.value)


@for_all_rows("url", ["", "api.groq.com", "ftp://api.groq.com", "http://", "http://[::1", "http://a:b:c"])
def test_an_address_that_is_none_is_a_clear_error(url: str) -> None:
    with pytest.raises(ConfigurationInvalid, match="GROQ_BASE_URL"):
        make_model(settings("gsk_x", url))
