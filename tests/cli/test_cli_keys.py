"""`citewell keys`, and the key that other commands send (A8)."""

import json
from collections.abc import Iterator

import pytest

from config.settings import settings
from domain.keys import parse_key
from tests.cli.conftest import Citewell
from tests.keys import change_key
from verify_material.rows import for_all_rows


@pytest.fixture(autouse=True)
def _required(database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:  # pyright: ignore[reportUnusedFunction] - pytest finds it
    """The server asks for keys."""
    assert database
    with monkeypatch.context() as changed:
        changed.setenv("CITEWELL_ACCESS__KEYS", "required")
        changed.delenv("CITEWELL_API_KEY", raising=False)
        settings.cache_clear()
        yield
    settings.cache_clear()


def created(citewell: Citewell, *arguments: str) -> str:
    outcome = citewell("keys", "create", "--name", "ci", "--scope", "read", *arguments)
    assert outcome.code == 0
    return outcome.out.strip()


def test_a_key_stands_alone_on_standard_output_and_opens_the_api(
    citewell: Citewell, monkeypatch: pytest.MonkeyPatch
) -> None:  # A8
    refused = citewell("history")
    assert refused.code == 2
    assert "citewell keys create" in refused.complaint
    key = created(citewell, "--scope", "ask", "--tenant", "acme")
    assert parse_key(key)
    monkeypatch.setenv("CITEWELL_API_KEY", f"{key}\n")
    assert citewell("history").code == 0
    assert citewell("keys", "revoke", parse_key(key).id).code == 0
    monkeypatch.setattr("services.operations.api_keys.TRUST_FOR_S", 0.0)
    assert "revoked" in citewell("history").complaint


def test_keys_are_listed_without_what_is_secret(citewell: Citewell) -> None:  # A8
    keys = [created(citewell, *more) for more in ([], ["--tenant", "acme"], ["--expires-days", "30"])]
    change_key(keys[2], "expires_at = now() - interval '1 day'")
    citewell("keys", "revoke", parse_key(keys[0]).id)
    listed = citewell("keys", "list", "--json").out
    told = {key["id"]: key for key in map(json.loads, listed.splitlines())}
    assert [told[parse_key(key).id]["tenant"] for key in keys] == ["default", "acme", "default"]
    assert not [key for key in keys if key.split("_")[2] in listed or parse_key(key).digest in listed]
    (only,) = citewell("keys", "list", "--tenant", "acme", "--json").out.splitlines()
    assert json.loads(only)["id"] == parse_key(keys[1]).id
    shown = citewell("keys", "list").out
    assert [word in shown for word in ("acme", "revoked 2", "expired 2", "valid", "never")] == [True] * 5


def test_a_created_key_as_json_says_what_it_may(citewell: Citewell) -> None:  # A8
    outcome = citewell("keys", "create", "--name", "n", "--scope", "admin", "--requests-per-minute", "5", "--json")
    told = json.loads(outcome.out)
    assert (told["scopes"], told["requests_per_minute"], told["tenant"]) == (["admin"], 5, "default")
    assert parse_key(told["key"]).id == told["id"]


@for_all_rows(
    ("arguments", "says"),
    [
        (["create", "--name", "ci"], "--scope"),
        (["create", "--name", "ci", "--scope", "everything"], "everything"),
        (["create", "--name", " ", "--scope", "read"], "--name"),
        (["create", "--name", "ci", "--scope", "read", "--tenant", ""], "--tenant"),
        (["create", "--name", "ci", "--scope", "read", "--expires-days", "0"], "--expires-days"),
        (["revoke", "nothing"], "nothing"),
        (["revoke"], "ID"),
        (["rename"], "rename"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(citewell: Citewell, arguments: list[str], says: str) -> None:  # A8
    outcome = citewell("keys", *arguments)
    assert outcome.code == 2
    assert says in outcome.complaint


def test_without_a_command_the_commands_are_shown(citewell: Citewell) -> None:
    outcome = citewell("keys")
    assert all(command in outcome.out + outcome.err for command in ("create", "list", "revoke"))
