"""Answers are judged as a fair reader would, and the questions of our own material can be answered from it."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.answers.judged_answers import (
    Card,
    Outcome,
    Question,
    Reply,
    has_string,
    is_shown,
    read_questions,
    worth_of,
)
from citewell_documents.parsing import ParseLimits, parse

OFFICE = Path(__file__).parents[1] / "benchmarks" / "answers" / "office"
LIMITS = ParseLimits(max_pages=10, max_chars=100_000)
RENT = Question("What is the rent?", "cell", "en", accept=(("1450", "month"),), documents=("lease.md",))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The rent is EUR 1,450.00 a month.", "1450"),
        ("| Rent | 1450 |", "EUR 1,450"),
        ("€1,450", "1450 EUR"),
        ("8.00", "8"),
        ("오후 3시에\n연다", "오후 3시"),
        ("단가(원): 412000", "412,000"),
        ("5월 8일까지 한다", "5월8일"),
    ],
)
def test_a_string_is_found_however_it_is_written(text: str, wanted: str) -> None:
    assert has_string(text, wanted)


@pytest.mark.parametrize(
    ("text", "wanted"), [("LQ-240", "24"), ("585", "85"), ("1.5", "5"), ("14,500", "14"), ("15월 8일", "5월 8일")]
)
def test_a_part_of_a_number_is_not_the_number(text: str, wanted: str) -> None:
    assert not has_string(text, wanted)


@pytest.mark.parametrize(
    ("reply", "worth"),
    [
        (Reply("EUR 1,450 a month", is_green=True), "useful"),
        (Reply("EUR 1,450", is_green=True), "partly"),
        (Reply("EUR 900", is_green=True), "wrong, green"),
        (Reply("EUR 900", is_green=False), "wrong, marked"),
        (Reply(None, is_green=False), "wrong refusal"),
    ],
)
def test_an_answer_is_worth_what_it_has_of_the_accepted_strings(reply: Reply, worth: str) -> None:
    assert worth_of(RENT, reply) == worth


def test_a_refusal_shows_the_answer_only_with_a_passage_of_a_document_that_has_it_among_its_first_three_cards() -> None:
    right, wrong = (Card(name, "Rent: 1,450 a month", "") for name in ("lease.md", "offer.md"))
    shown = [
        is_shown(Outcome(RENT, Reply(None, is_green=False, cards=cards), ""))
        for cards in ((wrong, right), (wrong,), (wrong, wrong, wrong, right))
    ]
    assert shown == [True, False, False]


def test_every_accepted_string_is_in_a_paper_that_is_named_for_it() -> None:
    texts = {file.name: parse(file.read_bytes(), file.name, LIMITS).text for file in (OFFICE / "documents").iterdir()}
    missing = [
        (question.text, string)
        for question in read_questions(OFFICE / "questions.jsonl")
        for string in [string for strings in (*question.accept, *question.partly) for string in strings]
        if not any(has_string(texts[name], string) for name in question.documents)
    ]
    assert missing == []


def test_the_two_halves_have_as_many_questions_of_each_kind() -> None:
    questions = read_questions(OFFICE / "questions.jsonl")
    by_half = {
        half: Counter(question.kind for question in questions if question.half == half) for half in ("open", "kept")
    }
    assert by_half["open"] == by_half["kept"]
    assert by_half["open"].total() * 2 == len(questions)
