"""`citewell models use` and `list`: a server of models is found, tried and written into config.yaml."""

import json
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from citewell.cli.main import run
from citewell.cli.models import choice
from clients.llm import servers
from clients.llm.servers import LocalServer
from config.settings import Settings, settings
from tests.cli.conftest import Outcome
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator

STRICT, LOOSE = "openai/gpt-oss-20b", "qwen/qwen3.6-27b"
"""Models of the simulator: one whose replies keep to a schema, and one that knows JSON only."""
Command = Callable[..., Outcome]


@pytest.fixture
def citewell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Generator[Command]:
    """Runs a command line in an empty folder, without any setting."""
    for name in [name for name in os.environ if name.startswith(("CITEWELL_", "GROQ_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> Outcome:
        settings.cache_clear()
        code = run(arguments)
        written = capsys.readouterr()
        return Outcome(code, written.out, written.err)

    yield command
    settings.cache_clear()


@pytest.fixture
def local() -> Generator[GroqSimulator]:
    """A server that wants no key, as Ollama and llama.cpp do not."""
    with GroqSimulator(accounts={"": Account("local")}) as simulator:
        yield simulator


@pytest.fixture
def found(local: GroqSimulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs where Ollama does; nothing runs where llama.cpp does."""
    running = (
        LocalServer("ollama", f"{local.base_url}/openai/v1", "ollama serve"),
        LocalServer("llamacpp", "http://127.0.0.1:9/v1", "llama-server"),
    )
    monkeypatch.setattr(servers, "LOCAL_SERVERS", running)
    monkeypatch.setattr(choice, "LOCAL_SERVERS", running)


def read() -> Settings:
    settings.cache_clear()
    return settings()


@pytest.mark.usefixtures("found")
def test_an_ollama_that_runs_is_found_tried_and_written(citewell: Command, local: GroqSimulator) -> None:
    Path("config.yaml").write_text("# mine\nrerank:\n  top_k: 7  # seven\n")
    outcome = citewell("models", "use", "ollama", "--model", STRICT)
    assert (outcome.code, outcome.err) == (0, "")
    text = Path("config.yaml").read_text()
    assert text.startswith("# mine\nrerank:\n  top_k: 7  # seven\npreset: small\nmodels:\n")
    models = read().models
    assert (models.provider, models.base_url) == ("openai_compatible", f"{local.base_url}/openai/v1")
    assert (models.main, models.fast, dict(models.fallbacks)) == (STRICT, STRICT, {})
    assert models.catalogue[STRICT].strict_schema
    assert "a streamed answer that cites" in outcome.out
    assert "a long prompt" in outcome.out
    assert "  +preset: small\n" in outcome.out
    assert "To undo it: mv " in outcome.out
    assert Path("config.yaml.bak").read_text() == "# mine\nrerank:\n  top_k: 7  # seven\n"
    kinds = [entry.kind for entry in local.ledger.billed]
    assert set(kinds[1:]) == {"generate_answer"}


@pytest.mark.usefixtures("found")
def test_without_a_name_it_takes_what_runs(citewell: Command) -> None:
    outcome = citewell("models", "use", "--model", STRICT, "--preset", "standard", "--json")
    told = json.loads(outcome.out)
    assert outcome.code == 0
    assert told["backup"] is None
    assert (told["main"], told["preset"], told["strict_schema"]) == (STRICT, "standard", True)
    assert list(told["seconds"]) == [STRICT]
    assert "preset" not in Path("config.yaml").read_text()
    again = citewell("models", "use", "--model", STRICT, "--preset", "standard")
    assert "says so already" in again.out
    assert not Path("config.yaml.bak").exists()


@pytest.mark.usefixtures("found")
def test_a_server_that_keeps_to_no_schema_is_noted(citewell: Command) -> None:
    assert citewell("models", "use", "ollama", "--model", LOOSE).code == 0
    assert not read().models.catalogue[LOOSE].strict_schema


@pytest.mark.usefixtures("found")
def test_models_are_listed_when_none_is_named(citewell: Command) -> None:
    outcome = citewell("models", "use", "ollama")
    assert outcome.code == 2
    assert "name a model with --model" in outcome.complaint
    assert STRICT in outcome.err
    outcome = citewell("models", "use", "ollama", "--model", "qwen9:900b")
    assert "does not have qwen9:900b; it has" in outcome.complaint
    assert not Path("config.yaml").exists()


@pytest.mark.usefixtures("found")
def test_a_model_that_does_not_work_changes_nothing(citewell: Command, local: GroqSimulator) -> None:
    local.fail(Fault(kind=FaultKind.WRONG_SCHEMA, times=9))
    outcome = citewell("models", "use", "ollama", "--model", STRICT, "--preset", "standard")
    assert outcome.code == 1
    assert "a streamed answer that cites: it does not answer from a passage" in outcome.err
    assert "nothing was changed" in outcome.err
    assert not Path("config.yaml").exists()


@pytest.mark.usefixtures("found")
def test_a_small_model_needs_no_schema(citewell: Command, local: GroqSimulator) -> None:
    local.fail(Fault(kind=FaultKind.WRONG_SCHEMA, times=2))
    assert citewell("models", "use", "ollama", "--model", STRICT).code == 0
    chosen = read()
    assert (chosen.preset, chosen.judges_offline) == ("small", True)
    assert not chosen.models.catalogue[STRICT].strict_schema


@pytest.mark.usefixtures("found")
def test_a_server_that_does_not_run_says_how_to_start_it(citewell: Command) -> None:
    outcome = citewell("models", "use", "llamacpp")
    assert outcome.code == 2
    assert "cannot reach http://127.0.0.1:9/v1/models" in outcome.complaint
    assert "`llama-server` starts it" in outcome.err


def test_nothing_that_runs_is_said(citewell: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    away = (LocalServer("ollama", "http://127.0.0.1:9/v1", "ollama serve"),)
    monkeypatch.setattr(servers, "LOCAL_SERVERS", away)
    monkeypatch.setattr(choice, "LOCAL_SERVERS", away)
    assert "no server of models runs on this machine" in citewell("models", "use").complaint


def test_an_address_may_lack_its_version(citewell: Command, local: GroqSimulator) -> None:
    outcome = citewell("models", "use", f"{local.base_url}/openai/", "--model", STRICT)
    assert outcome.code == 0
    assert read().models.base_url == f"{local.base_url}/openai/v1"
    assert read().preset == "standard"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("olama",), "'olama' is neither groq, ollama, llamacpp, lmstudio nor an address"),
        (("http://127.0.0.1:9",), "cannot reach http://127.0.0.1:9/models"),
        (("http://me:secret@127.0.0.1:9/v1",), "a login in the address would be stored with it"),
        (("http://[::1",), "is not an address"),
        (("groq",), "set GROQ_API_KEY first"),
        (("groq", "--key-env", "MY_KEY"), "set MY_KEY first"),
    ],
)
def test_what_cannot_be_used_is_refused(citewell: Command, arguments: tuple[str, ...], says: str) -> None:
    outcome = citewell("models", "use", *arguments)
    assert outcome.code == 2
    assert says in outcome.complaint
    assert "secret" not in outcome.err
    assert not Path("config.yaml").exists()


@pytest.mark.usefixtures("found")
def test_a_file_that_cannot_be_written_is_told(citewell: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_CONFIG", os.devnull)
    assert "is not a file that could be written" in citewell("models", "use", "ollama", "--model", STRICT).complaint
    monkeypatch.delenv("CITEWELL_CONFIG")
    Path("config.yaml.new").mkdir()
    assert "config.yaml cannot be written" in citewell("models", "use", "ollama", "--model", STRICT).complaint


def test_a_broken_file_is_not_touched(citewell: Command) -> None:
    Path("config.yaml").write_text("models: {mian: x}\n")
    assert "did you mean `models.main`?" in citewell("models", "use", "groq").complaint
    assert "did you mean `models.main`?" in citewell("models", "list").complaint


def test_groq_with_a_right_key(citewell: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("config.yaml").write_text(
        "preset: small\nmodels:\n  provider: openai_compatible\n  base_url: http://x/v1\n  main: a\n"
    )
    with GroqSimulator() as simulator:
        monkeypatch.setenv("GROQ_BASE_URL", simulator.base_url)
        monkeypatch.setenv("GROQ_API_KEY", "gsk_wrong")
        refused = citewell("models", "use", "groq")
        assert refused.code == 2
        assert "GROQ_API_KEY is refused: HTTP 401" in refused.complaint
        monkeypatch.setenv("GROQ_API_KEY", KEY)
        assert citewell("models", "use", "groq").code == 0
        assert Path("config.yaml").read_text() == "models:\n  provider: groq\n"
        assert citewell("models", "use", "groq", "--model", LOOSE).code == 0
        assert read().models.main == LOOSE
        assert "llama-9" in citewell("models", "use", "groq", "--model", "llama-9").complaint
    assert KEY not in Path("config.yaml").read_text()


def test_a_key_of_another_variable(citewell: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with GroqSimulator() as simulator:
        address = f"{simulator.base_url}/openai/v1"
        assert "the server wants a key; set CITEWELL_MODELS__API_KEY" in citewell("models", "use", address).complaint
        monkeypatch.setenv("MY_KEY", KEY)
        assert citewell("models", "use", address, "--key-env", "MY_KEY", "--model", STRICT).code == 0
    assert read().provider_key == KEY
    assert KEY not in Path("config.yaml").read_text()


@pytest.mark.usefixtures("found")
def test_the_environment_is_told_to_win(citewell: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_MODELS__MAIN", "another")
    assert (
        "CITEWELL_MODELS__MAIN in the environment overrides the file"
        in citewell("models", "use", "ollama", "--model", STRICT).err
    )


@pytest.mark.usefixtures("found")
def test_what_is_configured_is_listed(citewell: Command, local: GroqSimulator, monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[str, Any] = json.loads(citewell("models", "list", "--json").out)
    assert (told["file"], told["provider"], told["judgements"]) == (None, "offline", "offline")
    assert STRICT in told["on_this_machine"]["ollama"]
    monkeypatch.setenv("CITEWELL_MODELS__API_KEY", "sk-secret")
    Path("config.yaml").write_text(
        f"models: {{provider: openai_compatible, base_url: '{local.base_url}', main: mine}}\n"
    )
    outcome = citewell("models", "list")
    assert "main        mine\n" in outcome.out
    assert "key         CITEWELL_MODELS__API_KEY is set\n" in outcome.out
    assert "sk-secret" not in outcome.out
    assert f"ollama runs at {local.base_url}/openai/v1" in outcome.out
