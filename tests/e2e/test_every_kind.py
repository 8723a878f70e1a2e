"""A file of every kind is sent, read, searched and cited, through real processes."""

from typing import Any

import pytest

from tests.clients.every_kind import NAMES, SENTENCE, file_of, what_lacks
from tests.e2e.corpus import assert_exact
from tests.e2e.stack import Stack

pytestmark = pytest.mark.slow

QUESTION = "How much is the deposit for the hall?"


@pytest.fixture(scope="module")
def answers(offline: Stack) -> dict[str, tuple[str, dict[str, Any]]]:
    """By kind, the id of its document and the answer from it. Each has its own workspace; all are asked at once."""
    names = [name for name in NAMES if not what_lacks(name)]
    ids = {name: offline.send_file(name, file_of(name), workspace=f"kind-{name}") for name in names}
    asked: dict[str, str] = {}
    for name in names:
        offline.until_ready(ids[name])
        asked[name] = offline.submit(QUESTION, workspace=f"kind-{name}")
    return {name: (ids[name], offline.wait(asked[name])) for name in names}


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_every_kind_answers_a_question_with_a_sentence_that_it_supports(
    name: str, answers: dict[str, tuple[str, dict[str, Any]]], offline: Stack
) -> None:  # A8, S1.1, N3
    if lacking := what_lacks(name):
        pytest.skip(lacking)
    document_id, query = answers[name]
    assert (query["status"], query["abstained"]) == ("succeeded", False), query["abstain_reason"]
    assert "40 euros" in query["answer"]
    assert [each["status"] for each in query["verification"]["sentences"]] == ["supported"]
    assert {each["document_id"] for each in query["citations"]} == {document_id}
    assert any(SENTENCE in " ".join(each["text_span"].split()) for each in query["citations"])
    assert_exact(offline, query)
