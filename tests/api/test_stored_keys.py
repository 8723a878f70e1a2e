"""A key that is typed on the page stands in the database encrypted, and says what to do when it cannot be read (43)."""

import os
import stat
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.fernet import Fernet
from sqlalchemy import text

from clients.stored_secrets import FILE, decrypted, encrypted
from config.settings import settings
from db.queries.access.model_choices import begin_trial, end_trial
from db.session import system_transaction
from domain.errors.service import SecretUnreadable
from domain.errors.state import SecretUnstorable
from services.core.model_choice import current_settings, forget, settings_of
from tests.api.problems import assert_problem

SECRET = "sk-typed-on-the-page"
KEY = "CITEWELL_MODELS__ENCRYPTION_KEY"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    configured(monkeypatch, CITEWELL_HOME=str(tmp_path))
    return tmp_path


def configured(monkeypatch: pytest.MonkeyPatch, **variables: str) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()


def test_the_key_of_the_home_is_made_once_and_read_by_its_owner_only(home: Path) -> None:
    stored = encrypted(SECRET, settings())
    assert SECRET not in stored
    assert stat.S_IMODE((home / FILE).stat().st_mode) == 0o600
    kept = (home / FILE).read_bytes()
    assert decrypted(encrypted("other", settings()), settings()) == "other"
    assert decrypted(stored, settings()) == SECRET
    assert ((home / FILE).read_bytes(), os.listdir(home)) == (kept, [FILE])


def test_keys_change_by_turns(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    configured(monkeypatch, **{KEY: old})
    stored = encrypted(SECRET, settings())
    configured(monkeypatch, **{KEY: f"{new},{old}"})
    again = encrypted(SECRET, settings())
    assert decrypted(stored, settings()) == SECRET
    for named, readable in ((new, again), (old, stored)):
        configured(monkeypatch, **{KEY: named})
        assert decrypted(readable, settings()) == SECRET
        (other,) = {again, stored} - {readable}
        with pytest.raises(SecretUnreadable, match="choose the model on"):
            decrypted(other, settings())
    assert not (home / FILE).exists()


@pytest.mark.parametrize("key", ["short", "é", "x" * 44])
def test_what_is_no_key_is_said(home: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    configured(monkeypatch, **{KEY: key})
    with pytest.raises(SecretUnreadable):
        decrypted("anything", settings())


def test_without_a_home_nothing_is_stored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    configured(monkeypatch, CITEWELL_HOME=str(tmp_path / "none"))
    with pytest.raises(SecretUnstorable, match="openssl rand -base64 32"):
        encrypted(SECRET, settings())


def test_a_key_that_cannot_be_read_stops_questions_and_not_the_page(http: httpx.Client, home: Path) -> None:
    http.post("/v1/workspaces", json={"name": "default"}).raise_for_status()
    model: dict[str, Any] = {"provider": "openai_compatible", "base_url": "http://127.0.0.1:9/v1", "main": "m"}
    values: dict[str, Any] = {"models": {**model, "fast": "m", "catalogue": {"m": {}}}}
    with system_transaction() as session:
        trial = begin_trial(session).id
        end_trial(session, trial, [], settings=values, api_key=encrypted(SECRET, settings()))
        assert SECRET not in str(session.execute(text("SELECT * FROM model_choices")).all())
    http.put("/v1/model-servers/current", json={"trial_id": trial}).raise_for_status()
    forget()
    assert current_settings().provider_key == SECRET
    (home / FILE).write_bytes(Fernet.generate_key())
    forget()
    settings_of.__globals__["_stored"].cache_clear()
    refused = assert_problem(http.post("/v1/queries", json={"question": "What?"}), 503, "secret_unreadable")
    assert KEY in refused["detail"]
    assert http.get("/v1/model-servers/current").json()["main"] == "m"
    assert http.get("/healthz").status_code == 200
    assert http.delete("/v1/model-servers/current").status_code == 204
    assert http.post("/v1/queries", json={"question": "What?"}).status_code == 202
