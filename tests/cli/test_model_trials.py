"""`citewell models use` tries what a question needs, says what it found, and writes what follows from it."""

import json
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from citewell.cli.main import run
from clients.llm.servers import LOCAL_SERVERS, LocalServer, context_window
from config.models import ModelSettings
from config.settings import Settings, settings
from tests.cli.conftest import Outcome
from tests.simulators.peculiar import NAME, Peculiar, Ways
from verify_material.rows import for_all_rows

Use = Callable[..., Outcome]
SHORT = "rerank: {context_tokens: 400}\n"
"""Long prompts take the simulated model long as well."""


@pytest.fixture
def use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Generator[Use]:
    """Runs `models use` with a server that behaves in these ways, in an empty folder without any setting."""
    for name in [name for name in os.environ if name.startswith(("CITEWELL_", "GROQ_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text(SHORT)

    def command(ways: Ways, *arguments: str) -> Outcome:
        settings.cache_clear()
        with Peculiar(ways) as server:
            code = run(["models", "use", server.address, *arguments])
        written = capsys.readouterr()
        return Outcome(code, written.out, written.err)

    yield command
    settings.cache_clear()


def read() -> Settings:
    settings.cache_clear()
    return settings()


def rows(outcome: Outcome) -> dict[str, str]:
    told: dict[str, Any] = json.loads(outcome.out)
    return {row["tried"]: row["found"] for row in told["trials"]}


def test_all_that_a_question_needs_is_tried_and_told(use: Use) -> None:
    outcome = use(Ways(), "--json")
    assert outcome.code == 0
    assert rows(outcome) == dict.fromkeys(
        (
            "a streamed answer that cites",
            "a score",
            "scores of several passages",
            "a verdict on a statement",
            "verdicts on a right and a wrong statement",
            "whether an answer fits its question",
            "whether a passage says an answer",
            "a long prompt",
            "two calls at once",
        ),
        "ok",
    )


def no_booleans(text: str) -> str:
    return text.replace("true", '"perhaps"').replace("false", '"perhaps"')


def no_lists(text: str) -> str:
    return text.replace("[]", "{}")


def says_yes(text: str) -> str:
    yes = text.replace("contradicts", "supports").replace("partially_supports", "supports")
    return yes.replace("does_not_mention", "supports").replace("false", "true")


def gives_nothing(text: str) -> str:
    return "{}" if text.startswith("{") else text


def cites_nothing(text: str) -> str:
    return text.replace("[†1]", "")


def inventing(text: str) -> str:
    return text if text.startswith("{") else f"{text} It costs 99 euros [†1]."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("says", "told"),
    [
        (no_booleans, "a verdict on a statement: peculiar gave no usable reply"),
        (no_lists, "the reply does not fit"),
        (says_yes, "it calls a wrong statement supported"),
        (inventing, "it adds what no passage says"),
        (cites_nothing, "it does not cite the passage as asked"),
        (gives_nothing, "a score: "),
    ],
)
def test_what_would_fail_with_a_question_is_refused_in_a_line(use: Use, says: Callable[[str], str], told: str) -> None:
    outcome = use(Ways(says=says))
    assert outcome.code == 1
    assert told in outcome.err
    assert "nothing was changed" in outcome.err
    assert len(outcome.err.splitlines()) == 1
    assert "tried" in outcome.out
    assert Path("config.yaml").read_text() == SHORT


@pytest.mark.parametrize("written", ["†1", "[text1.md]", "[Source: text1.md]", "【1】"])
def test_citations_in_any_form_that_answers_may_have_are_citations(use: Use, written: str) -> None:
    outcome = use(Ways(says=lambda text: text.replace("[†1]", written)), "--preset", "small", "--json")
    assert outcome.code == 0, outcome.err


def test_a_small_preset_needs_no_judgement(use: Use) -> None:
    outcome = use(Ways(says=gives_nothing), "--preset", "small", "--json")
    assert outcome.code == 0
    assert list(rows(outcome)) == ["a streamed answer that cites", "a long prompt", "two calls at once"]


def test_a_server_that_cuts_prompts_is_refused_with_what_to_raise(use: Use) -> None:
    outcome = use(Ways(cut_at=300), "--preset", "small")
    assert outcome.code == 1
    assert (
        "a long prompt: peculiar gave no usable reply in 1 try: the server cut the prompt at 300 tokens" in outcome.err
    )
    assert "num_ctx" in outcome.err


@for_all_rows(
    "knows",
    [
        {"/props": {"default_generation_settings": {"n_ctx": 4096}}},
        {"/api/ps": {"models": [{"name": NAME, "context_length": 4096}]}},
        {"/api/v0/models": {"data": [{"id": NAME, "max_context_length": 32768, "loaded_context_length": 4096}]}},
        {"/v1/models": {"data": [{"id": NAME, "max_model_len": 4096}]}},
        {"/v1/models": {"data": [{"id": NAME, "meta": {"n_ctx": 4096}}]}},
    ],
)
def test_a_server_tells_its_window_in_a_form_of_its_own(knows: dict[str, Any]) -> None:
    with Peculiar(Ways(knows=knows)) as server:
        models = ModelSettings(provider="openai_compatible", base_url=server.address)
        assert context_window(Settings(models=models), NAME) == 4096


def test_prompts_are_kept_within_a_known_window(use: Use) -> None:
    ways = Ways(cut_at=700, knows={"/props": {"default_generation_settings": {"n_ctx": 700}}})
    assert use(ways, "--preset", "small").code == 0
    assert read().rerank.context_tokens == 175


def test_a_schema_that_is_ignored_is_not_written(use: Use) -> None:
    assert use(Ways(keeps_schema=False), "--preset", "small").code == 0
    assert not read().models.catalogue[NAME].strict_schema


@pytest.mark.slow
@pytest.mark.parametrize("refused", [[429], [500], [503, 503, 503, 503]])
def test_what_passes_changes_nothing_for_good(use: Use, refused: list[int]) -> None:
    assert use(Ways(refuses=refused), "--preset", "small").code == 0
    assert read().models.catalogue[NAME].strict_schema


def test_a_server_without_a_list_is_taken_with_a_name(use: Use) -> None:
    outcome = use(Ways(lists_models=False), "--preset", "small")
    assert outcome.code == 2
    assert "name a model with --model" in outcome.err
    outcome = use(Ways(lists_models=False), "--preset", "small", "--model", NAME)
    assert outcome.code == 0
    assert f"{NAME} is tried without a list of models" in outcome.err


def test_an_address_of_this_machine_gets_the_preset_of_its_name(use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    def is_at(server: LocalServer, address: str) -> bool:
        return server.name == "ollama" and address.startswith("http://127.0.0.1")

    monkeypatch.setattr(LocalServer, "is_at", is_at)
    assert use(Ways()).code == 0
    assert read().preset == "small"


@for_all_rows(
    ("address", "is_there"),
    [
        ("http://127.0.0.1:11434/v1", True),
        ("http://localhost:11434", True),
        ("http://127.0.0.1:8000/v1", False),
        ("http://10.0.0.7:11434/v1", False),
        ("http://[", False),
    ],
)
def test_ollama_is_known_by_its_address(address: str, *, is_there: bool) -> None:
    assert LOCAL_SERVERS[0].is_at(address) is is_there


@pytest.mark.slow
def test_a_slow_server_with_one_slot_sets_what_it_needs(use: Use) -> None:
    Path("config.yaml").write_text(
        "models: {call_timeout_s: 1}\nbudget: {deadline_s: 5}\nrerank: {context_tokens: 400}\n"
    )
    outcome = use(Ways(seconds=0.35, slots=1), "--json")
    assert (outcome.code, rows(outcome)["two calls at once"]) == (0, "one after the other")
    chosen = read()
    assert chosen.models.concurrency == 1
    assert chosen.models.call_timeout_s == 10
    assert chosen.budget.deadline_s > 9
    assert json.loads(outcome.out)["limits"]["models.concurrency"] == 1
