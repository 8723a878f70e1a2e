"""The language detection model is in memory only while documents arrive."""

import pytest

from clients.parsing import language
from tests.waiting import until

ENGLISH = "All returns must be made within thirty days of the purchase date, and a receipt is required for each. " * 4


def test_it_is_let_go_when_no_document_has_come_for_a_while_and_loaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = language.ReleasableModel()
    monkeypatch.setattr("clients.parsing.language._model_in_use", kept)
    monkeypatch.setattr("clients.parsing.language._IDLE_S", 0.2)
    assert (language.language_of(ENGLISH), kept.is_loaded) == ("en", True)
    until(lambda: not kept.is_loaded)
    assert (language.language_of(ENGLISH), kept.is_loaded) == ("en", True)


def test_each_document_lengthens_its_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = language.ReleasableModel()
    first, one = kept.model(), kept.ending
    assert kept.model() is first
    assert one is not None
    assert one.finished.is_set()
    # One that was about to let go when it was cancelled does not take it from the next document.
    one.function()
    assert kept.is_loaded
