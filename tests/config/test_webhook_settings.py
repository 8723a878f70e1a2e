"""Unusable settings of webhooks are refused at the start, by name."""

import pytest

from config.settings import ConfigurationInvalid, settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("allowed_networks", '["10.0.0.1/8"]'),
        ("allowed_networks", '["home"]'),
        ("schedule_s", "[]"),
        ("schedule_s", "[-1]"),
    ],
)
def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:  # A6
    monkeypatch.setenv(f"CITEWELL_WEBHOOKS__{name.upper()}", value)
    settings.cache_clear()
    with pytest.raises(ConfigurationInvalid, match=rf"webhooks\.{name}"):
        settings()
    settings.cache_clear()
