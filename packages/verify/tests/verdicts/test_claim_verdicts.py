"""Claims and key facts, derived from the verdicts on the sentences of an answer (S1.4, S2.1)."""

from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.answers.statements import Statement
from citewell_verify.prompting.judgements import Relation
from citewell_verify.verdicts.confidence import ClaimStatus, claim_status
from citewell_verify.verdicts.ruling import Evidence
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, sentence_status
from citewell_verify.verification.sentences import MOST_FACTS, Judged, key_facts, key_sentences, suggested_corrections

CHUNKS = ["a::0", "a::1", "b::0"]
S = SentenceStatus


def check(
    relation: Relation = "supports",
    number: int | None = 1,
    confidence: float = 0.9,
    *differences: str,
    source: int | None = None,
) -> PairVerdict:
    """A verdict on one source, or for None on all, with evidence in the source at place `source`."""
    evidence = None if source is None else Evidence(source, 0, 5)
    accurate = relation == "supports"
    return PairVerdict(number, "checked", accurate, relation, confidence, "because", evidence, differences=differences)


def sentence(text: str, *checks: PairVerdict) -> Judged:
    """A sentence that claims something, in the state that its verdicts give it."""
    statement = Statement(0, 0, len(text), text, (), claim=True)
    return Judged(statement, sentence_status(True, checks), checks, (None, None))


def test_every_state_of_a_sentence_is_one_of_a_claim_or_of_none() -> None:  # S2.1, N4
    assert {state: claim_status(state) for state in S} == {
        S.SUPPORTED: ClaimStatus.SUPPORTED,
        S.PARTIAL: ClaimStatus.PARTIALLY_SUPPORTED,
        S.CONTRADICTED: ClaimStatus.UNSUPPORTED,
        S.UNSUPPORTED: ClaimStatus.UNSUPPORTED,
        S.NO_CLAIM: None,
        S.NOT_CHECKED: None,
    }


def test_a_fact_names_the_chunks_that_support_it() -> None:  # S1.4
    cited = sentence("Refunds take 14 days.", check(number=1), check("does_not_mention", 2), check(number=3))
    uncited = sentence("Receipts are required.", check(number=None, source=1))
    assert key_facts([cited, uncited], CHUNKS) == [
        {
            "claim": "Refunds take 14 days.",
            "verified": True,
            "supporting_sources": ["a::0", "b::0"],
            "confidence": 0.9,
        },
        {"claim": "Receipts are required.", "verified": True, "supporting_sources": ["a::1"], "confidence": 0.9},
    ]


def test_a_fact_without_full_support_is_not_verified_and_names_no_chunk() -> None:  # S1.4
    partly = sentence("Refunds take 14 days.", check(confidence=0.5), check("partially_supports", 2, 0.9))
    denied = sentence("Fees are 9 euros.", check("contradicts", 2, 0.8))
    found = key_facts([partly, denied], CHUNKS)
    assert [(fact["verified"], fact["supporting_sources"], fact["confidence"]) for fact in found] == [
        (False, [], 0.5),
        (False, [], 0.8),
    ]


def test_the_key_facts_are_the_fullest_sentences_in_their_order() -> None:  # S1.4
    short = [sentence(f"Fee {word}.", check()) for word in ("one", "two", "three")]
    full = [sentence(f"Refunds of shop {word} are paid within ten days.", check()) for word in "abcd"]
    said = [short[0], full[0], short[1], full[1], full[2], short[2], full[3]]
    assert key_sentences(said) == [short[0], *full]


def test_the_same_words_are_one_fact() -> None:  # S1.4
    once = sentence("Refunds take 14 days.", check())
    assert key_sentences([once, sentence("Refunds  take\n14 days.", check(number=2))]) == [once]


@given(st.lists(st.text(max_size=30), max_size=12))
def test_there_are_at_most_five_facts_each_a_sentence_of_the_answer(texts: list[str]) -> None:  # S1.4
    said = [sentence(text, check()) for text in texts]
    found = key_facts(said, CHUNKS)
    assert len(found) <= MOST_FACTS
    assert bool(found) == bool(texts)
    assert {fact["claim"] for fact in found} <= {each.words for each in said}
    assert all(0 <= fact["confidence"] <= 1 for fact in found)


def test_corrections_are_the_differences_of_what_lacks_support_each_once() -> None:  # S2.1
    told = ("it is 14 days", " it is 14 days ", "")
    said = [
        sentence("Refunds take 30 days.", check("contradicts", 1, 0.9, *told)),
        sentence("Fees are 9 euros.", check("partially_supports", 1, 0.9, "no currency is named")),
        sentence("A receipt is required.", check("supports", 1, 0.9, "the shop is not named")),
    ]
    assert suggested_corrections(said) == ["it is 14 days", "no currency is named"]
