"""An answer read while it is checked goes on as it began, and what does not is replaced openly (N1)."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.answers.statements import numbers_to_check, statements
from citewell_verify.correction.corrected_answer import Corrected, Repair, correct
from domain.answers.continuous_text import ContinuousText, linked_references, no_link, without_links
from verify_material.answers import ANSWERS

Event = tuple[str, dict[str, Any]]
SOURCES = 5
DRAFT = "Returns take 30 days [3]. In short:\n\n- A receipt is needed [1][3].\n- Gift cards stay with you [5].\n"
NOBODY: Set[tuple[int, int]] = frozenset()


def link(source: Mapping[str, Any]) -> str:
    return f"http://c/#{source['source_start']}"


def events(draft: str, *, wrong: Set[tuple[int, int]] = NOBODY, failed: Set[int] = frozenset()) -> Iterator[Event]:
    """The draft in two parts, and each sentence when it has its verdict, the later ones first."""
    yield "draft", {"round": 0, "start": 0, "text": draft[: len(draft) // 2]}
    yield "draft", {"round": 0, "start": len(draft) // 2, "text": draft[len(draft) // 2 :]}
    for said in reversed(statements(draft, SOURCES)):
        if said.claim:
            type_ = "sentence.failed" if said.index in failed else "sentence.verified"
            citations = [
                {
                    "citation_number": number,
                    "status": "inaccurate" if (said.index, number) in wrong else "accurate",
                    "source": {"source_start": number},
                }
                for number in numbers_to_check(said, SOURCES)
                if number
            ]
            yield type_, {"round": 0, "sentence": said.index, "text": said.text, "citations": citations}


def query(corrected: Corrected, **over: Any) -> dict[str, Any]:
    """The finished query of a corrected draft: each source has its old number as its place."""
    old = {new: number for number, new in corrected.mapping.items()}
    citations = [
        {"number": number, "answer_start": said.start, "answer_end": said.end, "source_start": old[number]}
        for said in corrected.statements
        for number in said.numbers
    ]
    sentences = [{"start": said.start, "end": said.end, "text": said.text} for said in corrected.statements]
    references = [f"[{number}] file-{old[number]}.md" for number in sorted(old)]
    return {
        "answer": corrected.text,
        "citations": citations,
        "references": references,
        "verification": {"sentences": sentences},
        **over,
    }


def shown(text: ContinuousText, told: Sequence[Event]) -> list[str]:
    return [piece for piece in (text.take(*each) for each in told) if piece]


def test_sentences_are_shown_in_order_with_numbers_by_first_appearance() -> None:
    text = ContinuousText()
    pieces = shown(text, list(events(DRAFT)))
    # The first sentence was the last one to get its verdict.
    assert pieces == [
        "Returns take 30 days. [1] In short:\n\n- A receipt is needed. [2][1]\n- Gift cards stay with you. [3]"
    ]
    read = text.finished(query(correct(DRAFT, SOURCES, NOBODY)))
    assert read["answer"].startswith(text.shown)
    assert read["references"] == ["[1] file-3.md", "[2] file-1.md", "[3] file-5.md"]
    assert [each["number"] for each in read["citations"]] == [1, 2, 1, 3]


def test_each_sentence_comes_when_it_and_those_before_it_have_passed() -> None:
    text = ContinuousText(link)
    *drafts, third, second, first = events(DRAFT)
    assert shown(text, [*drafts, first]) == ["Returns take 30 days. [[1]](http://c/#3)"]
    assert shown(text, [third]) == []
    assert shown(text, [second]) == [
        " In short:\n\n- A receipt is needed. [[2]](http://c/#1)[[1]](http://c/#3)"
        "\n- Gift cards stay with you. [[3]](http://c/#5)"
    ]


def test_nothing_is_shown_behind_a_sentence_that_failed() -> None:
    text = ContinuousText()
    shown(text, list(events(DRAFT, failed={2})))
    assert text.shown == "Returns take 30 days. [1]"
    repaired = correct(DRAFT, SOURCES, NOBODY, {2: Repair("dropped", "not in the sources")})
    read = text.finished(query(repaired))
    assert read["answer"] == "Returns take 30 days. [1] In short:\n\n- Gift cards stay with you. [2]"
    assert "replaced" not in read["answer"]


def test_a_wrong_citation_is_never_shown() -> None:
    wrong = {(2, 1)}
    text = ContinuousText()
    shown(text, list(events(DRAFT, wrong=wrong)))
    assert "needed. [1]\n" in text.shown
    assert text.finished(query(correct(DRAFT, SOURCES, wrong)))["answer"].startswith(text.shown)


@pytest.mark.parametrize("korean", [False, True])
def test_an_answer_that_does_not_go_on_so_is_replaced_openly(korean: bool) -> None:
    text = ContinuousText()
    shown(text, list(events(DRAFT)))
    refusal: dict[str, Any] = {"answer": "I don't know.", "citations": [], "references": [], "verification": None}
    read = text.finished(refusal, korean=korean)
    before, rule, after = read["answer"].partition("\n\n---\n\n")
    assert (before, bool(rule)) == (text.shown, True)
    assert after.endswith("\n\nI don't know.")
    assert ("바뀌었습니다" in after) is korean


def test_words_that_the_model_took_back_end_the_showing() -> None:
    text = ContinuousText()
    assert shown(text, list(events(DRAFT)))
    assert shown(text, [("draft", {"round": 0, "start": 3, "text": "urns are free [2]. Yes."})]) == []
    again: Event = ("draft", {"round": 1, "start": 0, "text": "Another draft [1]. It is longer [2]."})
    verdict: dict[str, Any] = {"round": 1, "sentence": 0, "text": "Another draft.", "citations": []}
    assert shown(text, [again, ("sentence.verified", verdict)]) == []


def test_another_round_starts_anew_when_nothing_was_shown() -> None:
    text = ContinuousText()
    draft = "Another draft is here [1]. It is longer [2]."
    told: list[Event] = [
        ("draft", {"round": 0, "start": 0, "text": "A first draft."}),
        ("corrective_round", {"round": 0}),
        ("draft", {"round": 1, "start": 0, "text": draft}),
        ("sentence.verified", {"round": 1, "sentence": 0, "text": "Another draft is here.", "citations": []}),
    ]
    assert shown(text, told) == ["Another draft is here."]


def test_offsets_count_in_the_text_that_is_read() -> None:
    text = ContinuousText(link)
    shown(text, list(events(DRAFT, failed={3})))
    corrected = correct(DRAFT, SOURCES, NOBODY)
    read = text.finished(query(corrected))
    for each, said in zip(read["verification"]["sentences"], corrected.statements, strict=True):
        assert read["answer"][each["start"] : each["end"]] == said.text
    for each in read["citations"]:
        behind = read["answer"][each["answer_end"] :]
        assert f"[[{each['number']}]](http://c/#{each['source_start']})" in behind.partition("\n")[0]


def test_links_are_taken_off_again() -> None:
    text = ContinuousText(link, relabelled=False)
    corrected = correct(DRAFT, SOURCES, NOBODY)
    read = text.finished(query(corrected))
    assert "](http://c/#" in read["answer"]
    assert without_links(read["answer"]) == corrected.text
    assert linked_references(read, link)[0] == "[[1]](http://c/#1) file-1.md"
    assert linked_references(read, no_link) == read["references"]


def test_a_bracket_in_the_words_is_no_marker() -> None:
    draft = "Use `a[1]` for the first [2]. Then it ends [1]."
    text = ContinuousText(link)
    shown(text, list(events(draft)))
    assert text.shown == "Use `a[1]` for the first. [[1]](http://c/#2) Then it ends. [[2]](http://c/#1)"
    assert text.finished(query(correct(draft, SOURCES, NOBODY)))["answer"] == text.shown


# N1
@given(ANSWERS, st.sets(st.tuples(st.integers(0, 6), st.integers(1, SOURCES)), max_size=6), st.sets(st.integers(0, 6)))
def test_whatever_is_written_the_whole_begins_with_what_was_shown(
    draft: str, wrong: set[tuple[int, int]], failed: set[int]
) -> None:
    text = ContinuousText(link)
    shown(text, list(events(draft.lstrip(), wrong=wrong, failed=failed)))
    repairs = {index: Repair("dropped", "") for index in failed if index < len(statements(draft.lstrip(), SOURCES))}
    corrected = correct(draft.lstrip(), SOURCES, wrong, repairs)
    answer = text.finished(query(corrected))["answer"]
    assert answer.startswith(text.shown)
    if not failed:
        assert "replaced after" not in answer
    assert re.sub(r"\[\d+\]", "[]", without_links(answer)).endswith(re.sub(r"\[\d+\]", "[]", corrected.text))
