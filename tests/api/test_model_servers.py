"""Models are found, tried and chosen over the API, and a choice holds at once; only for those who may."""

import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import text

from clients.llm.trial import keeps_schema
from config.settings import settings
from db.models import DEFAULT_TENANT
from db.queries.access.model_choices import begin_trial, end_trial, forget_keys
from db.session import acting_for, reading, system_transaction
from domain.keys import Scope
from services.core.model_choice import current_settings, settings_of
from services.operations.api_keys import NewKey, create_key, create_key_for
from services.operations.model_candidates import Chosen, TrialFailed, candidate, try_compatible
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator
from tests.waiting import until
from verify_material.rows import for_all_rows

STRICT, LOOSE = "openai/gpt-oss-20b", "qwen/qwen3.6-27b"
HERE = "/v1/model-servers"


@pytest.fixture(autouse=True)
def unset(database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No model is configured, keys are encrypted with that of a new home, and prompts of a trial are short."""
    assert database
    monkeypatch.setenv("CITEWELL_HOME", str(tmp_path))
    monkeypatch.setenv("CITEWELL_RERANK__CONTEXT_TOKENS", "400")
    settings.cache_clear()


@pytest.fixture
def ollama() -> Generator[str]:
    """The address of a server that wants no key."""
    with GroqSimulator(accounts={"": Account("local")}) as simulator:
        yield f"{simulator.base_url}/openai/v1"


def tried(http: httpx.Client, address: str, **given: object) -> dict[str, Any]:
    answer = http.post(f"{HERE}/trials", json={"address": address, "model": STRICT, **given}, timeout=60)
    assert answer.status_code == 202, answer.text
    here = answer.headers["location"]
    until(lambda: http.get(here).json()["status"] != "running", seconds=60)
    return http.get(here).json()


def stored_trial(model: str) -> int:
    """The id of a trial that went well."""
    models = {"provider": "openai_compatible", "base_url": "http://127.0.0.1:9/v1", "main": model, "fast": model}
    with system_transaction() as session:
        trial_id = begin_trial(session).id
        end_trial(session, trial_id, [], settings={"models": {**models, "catalogue": {model: {}}}})
        return trial_id


def refused(answer: httpx.Response, status: int = 422) -> str:
    assert answer.status_code == status, answer.text
    return answer.json()["detail"]


@pytest.mark.slow
def test_a_model_is_tried_chosen_and_dropped_without_a_restart(http: httpx.Client, ollama: str) -> None:
    before = http.get(f"{HERE}/current").json()
    assert (before["provider"], before["chosen_by"], before["may_choose"]) == ("offline", "default", True)
    trial = tried(http, ollama)
    assert {row["passed"] for row in trial["trials"]} == {True}
    assert {"name": "models.main", "value": STRICT} in trial["settings"]
    assert (trial["models"]["is_remote"], trial["models"]["judge"]) == (False, "model")
    assert http.get(f"{HERE}/current").json()["provider"] == "offline"
    now = http.put(f"{HERE}/current", json={"trial_id": trial["id"]}).json()
    assert (now["main"], now["chosen_by"], now["trials"]) == (STRICT, "page", trial["trials"])
    assert now["since"] is not None
    assert http.get("/healthz").json()["provider"] == "openai_compatible"
    assert refused(http.put(f"{HERE}/current", json={"trial_id": trial["id"]}), 404).startswith("There is no such")
    # No identifier of Postgres is so large.
    refused(http.put(f"{HERE}/current", json={"trial_id": 2**63}), 422)
    assert http.delete(f"{HERE}/current").status_code == 204
    assert http.get(f"{HERE}/current").json()["provider"] == "offline"
    assert http.get("/healthz").json()["provider"] == "offline"


def test_a_question_keeps_the_models_that_it_was_accepted_with(http: httpx.Client) -> None:
    http.post("/v1/workspaces", json={"name": "default"}).raise_for_status()
    trials = [stored_trial(model) for model in (STRICT, LOOSE)]
    accepted: list[str] = []
    for trial in trials:
        http.put(f"{HERE}/current", json={"trial_id": trial}).raise_for_status()
        accepted.append(http.post("/v1/queries", json={"question": "How long?"}).raise_for_status().json()["id"])
    http.delete(f"{HERE}/current")
    accepted.append(http.post("/v1/queries", json={"question": "How long?"}).raise_for_status().json()["id"])
    with acting_for(DEFAULT_TENANT), reading() as session:
        stored = {
            str(id_): (provider, options["model_choice"], options["context_tokens"])
            for id_, provider, options in session.execute(text("SELECT id, provider, options FROM queries"))
        }
    assert [stored[id_] for id_ in accepted] == [
        ("openai_compatible", trials[0], 400),
        ("openai_compatible", trials[1], 400),
        ("offline", None, 400),
    ]
    assert settings_of(trials[0]).models.main == STRICT
    assert settings_of(trials[1]).models.main == LOOSE


@pytest.mark.slow
def test_a_server_that_answers_nonsense_is_refused_with_its_table(http: httpx.Client) -> None:
    with GroqSimulator(accounts={"": Account("local")}) as simulator:
        simulator.fail(Fault(kind=FaultKind.WRONG_SCHEMA, times=9))
        trial = tried(http, f"{simulator.base_url}/openai/v1", preset="standard")
    assert (trial["status"], trial["models"]) == ("failed", None)
    refused(http.put(f"{HERE}/current", json={"trial_id": trial["id"]}), 404)
    assert "it does not answer from a passage" in trial["problem"]
    assert [row["passed"] for row in trial["trials"]][-1] is False


# 41
def test_a_trial_ends_in_its_time_however_long_the_server_takes() -> None:
    with GroqSimulator(accounts={"": Account("local")}) as simulator:
        simulator.fail(Fault(kind=FaultKind.HANG, times=9))
        chosen = Chosen(
            "openai_compatible", f"{simulator.base_url}/openai/v1", (STRICT,), None, "standard", SecretStr("")
        )
        settings_of_trial = candidate(settings(), chosen, STRICT, STRICT, strict=True)
        trials = keeps_schema(settings_of_trial, STRICT, until=time.monotonic() + 0.5)
        assert [(row.found, row.fits) for row in trials.rows] == [
            ("it did not end in the time that there is to try a model; take a smaller or faster one", True)
        ]
        with pytest.raises(TrialFailed, match="take a smaller or faster one"):
            try_compatible(settings(), chosen, STRICT, lambda _: None, until=time.monotonic())


@pytest.mark.slow
def test_a_key_is_told_by_nothing(http: httpx.Client, capfd: pytest.CaptureFixture[str]) -> None:
    with GroqSimulator() as simulator:
        address = f"{simulator.base_url}/openai/v1"
        assert "the server wants a key" in refused(http.post(f"{HERE}/models", json={"address": address}))
        wrong = http.post(f"{HERE}/models", json={"address": address, "key": "gsk_wrong_1234"})
        assert "the key is refused: HTTP 401" in refused(wrong)
        assert "gsk_wrong_1234" not in wrong.text
        listed = http.post(f"{HERE}/models", json={"address": f"{simulator.base_url}/openai", "key": KEY})
        assert STRICT in listed.json()["models"]
        assert listed.json()["address"] == address
        trial = tried(http, address, key=KEY)
        chosen = http.put(f"{HERE}/current", json={"trial_id": trial["id"]})
    assert current_settings().provider_key == KEY
    written = capfd.readouterr()
    for shown in (listed.text, str(trial), chosen.text, http.get(f"{HERE}/current").text, written.out, written.err):
        assert KEY not in shown
    assert KEY not in repr(current_settings())
    too_long = http.post(f"{HERE}/models", json={"address": address, "key": "k" * 5_000})
    assert too_long.status_code == 422
    assert "kkkk" not in too_long.text
    # A tenant's transaction does not see it either; an ended choice loses it once no question needs it.
    with acting_for(DEFAULT_TENANT), reading() as session:
        assert session.execute(text("SELECT count(*) FROM model_choices")).scalar_one() == 0
    http.delete(f"{HERE}/current")
    with system_transaction() as session:
        session.execute(text("UPDATE model_choices SET ended_at = now() - interval '2 minutes'"))
    with system_transaction() as session:
        forget_keys(session)
        assert session.execute(text("SELECT count(api_key) FROM model_choices")).scalar_one() == 0


@for_all_rows(
    ("address", "says"),
    [
        ("http://10.1.2.3:8000/v1", "CITEWELL_MODELS__SERVERS='[\"http://10.1.2.3:8000\"]'"),
        ("http://169.254.169.254/latest", "public addresses"),
        ("http://8.8.8.8/v1", "by https"),
        ("ftp://127.0.0.1/v1", "Give an address such as"),
        ("http://me:secret@127.0.0.1:9/v1", "no user name"),
        ("http://127.0.0.1:9/v1", "cannot reach http://127.0.0.1:9/v1/models"),
        ("127.0.0.1", "Give an address such as"),
        (None, "Give the address of the server"),
    ],
)
def test_an_address_that_may_not_be_asked_says_what_to_do(http: httpx.Client, address: str | None, says: str) -> None:
    detail = refused(http.post(f"{HERE}/models", json={"address": address}))
    assert says in detail
    assert "secret" not in detail


def test_the_servers_of_this_machine_and_those_of_the_operator_are_looked_at(
    http: httpx.Client, ollama: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEWELL_MODELS__SERVERS", f'["{ollama}"]')
    settings.cache_clear()
    servers = http.get(HERE).json()["servers"]
    assert [server["name"] for server in servers] == ["ollama", "llamacpp", "lmstudio", None]
    assert (servers[-1]["state"], STRICT in servers[-1]["models"]) == ("ok", True)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("CITEWELL_MODELS__FROM_PAGE", "forbidden", "`citewell models use`"),
        ("CITEWELL_MODELS__PROVIDER", "offline", "The configuration names the model (models.provider)"),
        ("CITEWELL_MODELS__API_KEY", "k", "(models.api_key)"),
        ("GROQ_API_KEY", "gsk_1", "(GROQ_API_KEY)"),
        ("CITEWELL_ACCESS__KEYS", "required", None),
    ],
)
def test_an_operator_goes_first(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str | None
) -> None:
    trial = stored_trial(STRICT)
    http.put(f"{HERE}/current", json={"trial_id": trial}).raise_for_status()
    monkeypatch.setenv(name, value)
    settings.cache_clear()
    if says is None:
        key = create_key_for("default", NewKey("a", [Scope.ADMIN]))["key"]
        http.headers["authorization"] = f"Bearer {key}"
        says = "CITEWELL_MODELS__FROM_PAGE=allowed"
        assert current_settings().models.main == STRICT
    else:
        assert current_settings() is settings()
    told = http.get(f"{HERE}/current").json()
    assert told["may_choose"] is False
    assert says in told["reason"]
    for answer in (
        http.get(HERE),
        http.post(f"{HERE}/models", json={"address": "http://127.0.0.1:9/v1"}),
        http.post(f"{HERE}/trials", json={"address": "http://127.0.0.1:9/v1"}),
        http.put(f"{HERE}/current", json={"trial_id": trial}),
        http.delete(f"{HERE}/current"),
    ):
        assert says in refused(answer, 403)


def test_only_an_administrator_of_the_installation_chooses(
    http: httpx.Client, ollama: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEWELL_MODELS__FROM_PAGE", "allowed")
    monkeypatch.setenv("CITEWELL_ACCESS__KEYS", "required")
    settings.cache_clear()
    with acting_for(DEFAULT_TENANT):
        keys = [create_key(NewKey("k", [scope]))["key"] for scope in (Scope.ASK, Scope.ADMIN)]
    keys.append(create_key_for("elsewhere", NewKey("e", [Scope.ADMIN]))["key"])

    def choose(key: str) -> httpx.Response:
        return http.post(f"{HERE}/models", json={"address": ollama}, headers={"x-api-key": key})

    assert "scope 'admin'" in refused(choose(keys[0]), 403)
    assert "reached at public addresses" in refused(choose(keys[1]))
    assert "only a key of the tenant `default`" in refused(choose(keys[2]), 403)
