"""Many statements against one source cost their own size plus that of the source, and none is too long to be read
(F2)."""

import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.entities.source_figures import source_figures
from citewell_verify.evidence.contradictions import disagreements
from citewell_verify.facts import comparison
from citewell_verify.facts.reading.token_alignment import Alignment
from citewell_verify.facts.reading.tokens import Token
from citewell_verify.offline.judging import check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.judgements import StatementCheck
from citewell_verify.prompting.numbered_sources import Source, Sources
from citewell_verify.text.quotes import WordIndex
from citewell_verify.text.windows import LONGEST_STATEMENT
from citewell_verify.text.words import coverage
from citewell_verify.verdicts.ruling import Grounds

STEMS = st.lists(st.sampled_from("manufactur manufacturer manufactory 고양 고양이 30 bridge bridg".split()), max_size=6)
WORDS_ALONE = Meaning(None)
YES = StatementCheck(
    evidence="", differences=[], explanation="It is so.", relation="supports", is_accurate=True, confidence=0.95
)


# F2
@given(STEMS, st.lists(STEMS, max_size=8))
def test_texts_found_by_their_words_cover_as_much_as_each_by_itself(
    wanted: Sequence[str], texts: Sequence[Sequence[str]]
) -> None:
    shares = WordIndex(texts).coverages(wanted)
    assert [shares.get(number, 0.0) for number in range(len(texts))] == [
        coverage(wanted, set(stems)) for stems in texts
    ]


def zebras(count: int) -> str:
    return " ".join(f"The Zebra of herd {number} weighs {300 + number} kg." for number in range(count))


# F2
def test_a_statement_is_laid_beside_a_few_sentences_of_a_source_however_many_it_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[int] = []
    whole = comparison.align

    def counted(statement: Sequence[Token], source: Sequence[Token]) -> Alignment:
        compared.append(len(source))
        return whole(statement, source)

    monkeypatch.setattr(comparison, "align", counted)
    for count in (20, 2_000):
        compared.clear()
        assert disagreements("The Zebra of herd 7 weighs 900 kg.", zebras(count))
        assert 0 < len(compared) <= 12


# F2
def test_the_figures_of_a_source_that_may_be_meant_are_found_by_their_value() -> None:
    figures = source_figures(zebras(2_000))
    (stated,) = source_figures("It weighs 1,500 kg.").everywhere
    near = figures.candidates(stated)
    assert any(quantity.value == 1_500 for quantity in near)
    assert len(near) < len(figures.different) / 4


# F2
def test_further_statements_against_a_large_source_cost_little_beside_reading_it() -> None:
    text = zebras(3_000)
    sources = Sources((Source(number=1, label="Zoo", text=text),))

    def check(number: int) -> float:
        began = time.process_time()
        statement = f"The Zebra of herd {number} weighs {300 + number} kg."
        ruling = Grounds.of(statement, [text]).rule(check_statement(statement, sources, WORDS_ALONE))
        assert ruling.supports
        return time.process_time() - began

    first = check(1)
    # Each cost about as much as the first while every statement read the whole source again; now about a hundredth.
    assert sorted(check(number) for number in (500, 1_000, 1_500, 2_000, 2_500))[2] < first / 5


LONG = "The bridge over the Arno has a pier and " + "a pier and " * 300 + "a lamp."


# F2
def test_a_statement_that_is_too_long_is_not_supported_and_says_why() -> None:
    assert len(LONG) > LONGEST_STATEMENT
    source = "The bridge over the Arno has a pier and a lamp."
    ruling = Grounds.of(LONG, [source]).rule(YES)
    assert ruling.confidence <= 0.5
    assert ruling.decided_by == "evidence"
    assert "more than 2,000 characters" in ruling.explanation
    reply = check_statement(LONG, Sources((Source(number=1, label="A", text=source),)), WORDS_ALONE)
    assert not reply.is_accurate
    assert "more than 2,000 characters" in reply.explanation


# F2
def test_a_long_statement_is_supported_where_a_source_has_it_word_for_word() -> None:
    source = f"It is old. {LONG.replace(' ', chr(10), 3)} It is red."
    ruling = Grounds.of(LONG, ["Nothing of it.", source]).rule(YES)
    assert ruling.supports
    assert ruling.decided_by == "model"
    assert ruling.evidence is not None
    assert ruling.evidence.source == 1
    assert source[ruling.evidence.start : ruling.evidence.end].split() == LONG.split()
    reply = check_statement(LONG, Sources((Source(number=1, label="A", text=source),)), WORDS_ALONE)
    assert reply.is_accurate


# F2
def test_the_beginning_of_a_long_statement_is_still_held_against_figures() -> None:
    claim = "The bridge cost 9 million euros. " + "It is a bridge that stands there and stays. " * 80
    assert any(
        disagreement.kind == "number"
        for disagreement in disagreements(claim, "The bridge cost 4 million euros. It stands.")
    )
