"""From checks to verdicts (S5.4) and to the one state of a sentence (N4)."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.prompting.judgements import Relation
from citewell_verify.verdicts.ruling import StoredRuling
from citewell_verify.verdicts.states import (
    PairVerdict,
    SentenceStatus,
    Verdict,
    accuracy_rate,
    classify,
    sentence_status,
)
from verify_material.rows import for_all_rows

S = SentenceStatus
RELATIONS: list[Relation] = ["supports", "partially_supports", "contradicts", "does_not_mention"]


def check(relation: Relation, confidence: float = 0.9, *, accurate: bool | None = None) -> PairVerdict:
    is_accurate = relation == "supports" if accurate is None else accurate
    return PairVerdict(1, "checked", is_accurate, relation, confidence, "because")


NOT_CHECKED = PairVerdict(1, "not_checked", None, None, None, "timeout")
checks = st.builds(
    PairVerdict,
    st.just(1),
    st.just("checked"),
    st.booleans(),
    st.sampled_from(RELATIONS),
    st.floats(0, 1),
    st.just(""),
) | st.just(NOT_CHECKED)


@for_all_rows(
    ("is_accurate", "confidence", "expected"),
    [
        (True, 0.7, Verdict.ACCURATE),
        (True, 0.69, Verdict.UNCERTAIN),
        (False, 0.7, Verdict.INACCURATE),
        (False, 0.69, Verdict.UNCERTAIN),
        (None, 0.9, Verdict.UNCERTAIN),
        (True, None, Verdict.UNCERTAIN),
    ],
)
def test_a_judgement_counts_from_the_threshold_on(
    is_accurate: bool | None, confidence: float | None, expected: Verdict
) -> None:  # S5.4
    assert classify(is_accurate, confidence) is expected


@for_all_rows(
    ("found", "expected"),
    [
        ([], S.NOT_CHECKED),
        ([NOT_CHECKED], S.NOT_CHECKED),
        ([check("supports")], S.SUPPORTED),
        ([check("supports"), check("does_not_mention")], S.SUPPORTED),
        ([check("supports"), NOT_CHECKED], S.SUPPORTED),
        ([check("supports"), check("contradicts")], S.CONTRADICTED),
        ([check("contradicts"), NOT_CHECKED], S.CONTRADICTED),
        ([check("contradicts", 0.5)], S.UNSUPPORTED),
        ([check("supports", 0.5)], S.PARTIAL),
        ([check("partially_supports")], S.PARTIAL),
        ([check("does_not_mention")], S.UNSUPPORTED),
        ([check("does_not_mention"), NOT_CHECKED], S.NOT_CHECKED),
        ([check("does_not_mention", accurate=True)], S.UNSUPPORTED),
        ([check("supports", accurate=False)], S.UNSUPPORTED),
        ([check("supports"), check("contradicts", 0.5)], S.PARTIAL),
    ],
)
def test_the_state_of_a_claim(found: list[PairVerdict], expected: SentenceStatus) -> None:  # N4
    assert sentence_status(True, found) is expected


@given(st.lists(checks, max_size=4))
def test_a_sentence_without_a_claim_needs_no_check(found: list[PairVerdict]) -> None:  # N4
    assert sentence_status(False, found) is S.NO_CLAIM


@given(st.lists(checks, max_size=4))
def test_supported_needs_a_confident_check_that_says_so(found: list[PairVerdict]) -> None:  # N4
    if sentence_status(True, found) is S.SUPPORTED:
        assert any(c.is_accurate and c.relation == "supports" and (c.confidence or 0) >= 0.7 for c in found)


@pytest.mark.parametrize("relation", ["partially_supports", "contradicts", "does_not_mention"])
def test_a_reply_that_disagrees_with_itself_is_uncertain(relation: Relation) -> None:  # S5.4, N4
    assert check(relation, accurate=True).verdict() is Verdict.UNCERTAIN
    assert check("supports", accurate=False).verdict() is Verdict.UNCERTAIN


def test_the_order_of_checks_does_not_matter() -> None:  # N4
    kinds = [check("supports"), check("contradicts"), check("partially_supports"), NOT_CHECKED, check("supports", 0.4)]
    for one, two in product(kinds, repeat=2):
        assert sentence_status(True, [one, two]) is sentence_status(True, [two, one])


def test_accuracy_is_the_share_of_accurate_citations() -> None:  # S5.6
    assert accuracy_rate([Verdict.ACCURATE] * 3 + [Verdict.INACCURATE]) == 0.75
    assert accuracy_rate([]) is None


def test_a_stored_ruling_is_read_and_written_back_unchanged() -> None:  # N3, A4
    look = {"is_accurate": True, "relation": "supports", "confidence": 0.9, "explanation": "so it says"}
    stored = StoredRuling(
        is_accurate=False,
        relation="contradicts",
        confidence=0.8,
        explanation="the source says 30",
        decided_by="evidence",
        evidence={"source": 1, "start": 4, "end": 11},
        second_look={"noticed": "30", "place": "30 days", "first": look, "second": None, "reason": "no reply"},
        differences=["30, not 60"],
    )
    bare = stored.copy()
    bare["evidence"], bare["second_look"], bare["differences"] = None, None, []
    for ruling in (stored, bare):
        assert PairVerdict.from_json(2, ruling).as_json() == ruling


def test_a_check_that_was_not_made_has_a_state_and_no_ruling() -> None:  # N4
    assert NOT_CHECKED.status_at(0.7) == "not_checked"
    with pytest.raises(ValueError, match="has no ruling"):
        NOT_CHECKED.as_json()
