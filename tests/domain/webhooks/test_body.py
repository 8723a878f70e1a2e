"""The body of a webhook is JSON of less than 20 KB, whatever its content (A6)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.webhooks.delivery import MAX_BYTES, message_body

NOW = "2026-11-22T08:00:00Z"
texts = st.text(max_size=200).map(lambda part: part * 100) | st.text()


# A6
@given(texts, texts, texts)
def test_the_body_is_short_and_says_what_it_is(question: str, answer: str, message: str) -> None:
    data = {"question": question, "answer": answer, "error": {"message": message}, "truncated": False}
    body = message_body("query.failed", NOW, data)
    told = json.loads(body)
    assert len(body.encode()) < MAX_BYTES
    assert (told["type"], told["timestamp"]) == ("query.failed", NOW)
    assert told["data"] == data or told["data"]["truncated"]


# A6
def test_the_answer_goes_first_and_long_texts_after_it() -> None:
    def shortened(question: str, answer: str) -> dict[str, object]:
        return json.loads(message_body("t", NOW, {"id": "1", "question": question, "answer": answer}))["data"]

    assert shortened("why", "a" * 100) == {"id": "1", "question": "why", "answer": "a" * 100}
    assert shortened("why", "a" * MAX_BYTES) == {"id": "1", "question": "why", "answer": None, "truncated": True}
    both = shortened("q" * MAX_BYTES, "a" * MAX_BYTES)
    assert both == {"id": "1", "question": "q" * 500 + "…", "answer": None, "truncated": True}


def test_data_that_cannot_be_shortened_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"batch\.completed is too long"):
        message_body("batch.completed", NOW, {"items": ["x"] * MAX_BYTES})
