"""`preset: small`: other defaults, which every setting of one's own beats."""

import os
from pathlib import Path

import pytest

from config.presets import SMALL
from config.settings import Settings
from services.queries.submission import NewQuery, resolve_options


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("GROQ_API_KEY", "CITEWELL_PRESET"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_changes_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    # Whole stacks of other tests may be running, with settings of their own.
    for name in [each for each in os.environ if each.startswith("CITEWELL_MODELS__")]:
        monkeypatch.delenv(name)
    standard = Settings()
    monkeypatch.setenv("CITEWELL_PRESET", "small")
    small = Settings()
    for group, values in SMALL.items():
        for name, value in values.items():
            assert getattr(getattr(small, group), name) == value
            assert getattr(getattr(standard, group), name) != value
    assert small.models.main == standard.models.main
    assert small.judges_offline


def test_what_is_set_beats_it(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    (folder / "config.yaml").write_text("preset: small\nmodels: {judgements: provider, provider: groq}\n")
    monkeypatch.setenv("CITEWELL_MODELS__CALL_TIMEOUT_S", "7")
    found = Settings()
    assert (found.models.call_timeout_s, found.models.deadline_s) == (7, SMALL["models"]["deadline_s"])
    assert not found.judges_offline


def test_a_question_shares_calls_unless_it_says_otherwise(folder: Path) -> None:
    (folder / "config.yaml").write_text("preset: small\n")
    assert resolve_options(NewQuery("Why?", "default"), Settings()).preset == "cheap"
    assert resolve_options(NewQuery("Why?", "default", preset="standard"), Settings()).preset == "standard"


def test_a_model_that_takes_one_call_at_a_time_reads_no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 37, Show 6: a question waited 85 s for the one slot, behind a passage of the example documents."""
    monkeypatch.setenv("GROQ_API_KEY", "gsk_test")
    monkeypatch.setenv("CITEWELL_MODELS__PROVIDER", "groq")
    assert Settings().graph_extractor == "model"
    monkeypatch.setenv("CITEWELL_MODELS__CONCURRENCY", "1")
    assert Settings().graph_extractor == "local"
    monkeypatch.setenv("CITEWELL_GRAPH__EXTRACTOR", "model")
    assert Settings().graph_extractor == "model"
