"""`citewell models judge` as users run it."""

import json
from pathlib import Path

import huggingface_hub.constants
import pytest

from citewell.cli.models.judges import _TRIALS  # pyright: ignore[reportPrivateUsage]
from clients.llm.neural import open_classifier
from tests.cli.conftest import Citewell
from tests.clients.neural_models import ALWAYS_SURE, NEVER_SURE, NOT_A_NUMBER, save_classifier

pytest.importorskip("onnxruntime", reason="there is none for this machine")

TEXTS = [text for trial in _TRIALS for text in (trial.source, trial.statement)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    open_classifier.cache_clear()
    return tmp_path / "judge"


@pytest.mark.parametrize(("tail", "says"), [(NEVER_SURE, "strikes 3 of 3 faithful"), (ALWAYS_SURE, "0 of 3 wrong")])
def test_a_judge_that_tells_nothing_apart_is_refused(citewell: Citewell, folder: Path, tail: str, says: str) -> None:
    save_classifier(folder, TEXTS, tail=tail)
    tried = citewell("models", "judge", str(folder))
    assert tried.code == 1
    assert says in tried.err
    assert "ms for a pair" in tried.out


def test_its_cost_is_reported(citewell: Citewell, folder: Path) -> None:
    save_classifier(folder, TEXTS, tail=ALWAYS_SURE)
    told = json.loads(
        citewell("models", "judge", str(folder), "--language", "en", "--language", "ko", "--json").out.splitlines()[0]
    )
    assert (told["name"], told["tried"], told["struck_faithful"], told["struck_wrong"]) == ("judge", 12, 0, 0)
    assert told["ms_per_pair"] > 0


def test_without_a_hub_it_says_so(citewell: Citewell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_classifier.cache_clear()
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", "http://127.0.0.1:9")
    tried = citewell("models", "judge", "some/judge")
    assert tried.code == 2
    assert "some/judge could not be downloaded" in tried.complaint


def test_a_model_that_cannot_be_run_is_named(citewell: Citewell, folder: Path) -> None:  # S1.6
    save_classifier(folder, TEXTS, tail=NOT_A_NUMBER)
    assert "was found and cannot be run" in citewell("models", "judge", str(folder)).complaint
