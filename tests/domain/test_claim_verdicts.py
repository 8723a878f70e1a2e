"""A model's claims, checked against the sources: quoted evidence has to be there, and to agree (S2.1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.claim_verdicts import (
    EVIDENCE_NOT_FOUND,
    EVIDENCE_TOO_FAR,
    NO_EVIDENCE,
    CheckedClaim,
    ClaimStatus,
    EvidencePlace,
    ReportedClaim,
    check_claim,
    gaps,
    is_grounded,
    locate_evidence,
)

POLICY = "Section 1.\n\nAll returns must be made within 30 days of purchase. Items on final sale cannot be returned."
LEAVE = "Employees receive 15 days of paid leave. Members get 60 days. Receipts are required since 2019."
SOURCES = [POLICY, LEAVE]
SUPPORTED, PARTIAL, UNSUPPORTED = ClaimStatus
PIECES = st.lists(
    st.sampled_from(["Returns take ", "30 days", "60 days", ". ", "not ", "2019 ", "환불은 30일", "\n", "the ", "…"]),
    max_size=8,
).map("".join)
REPORTS = st.builds(ReportedClaim, PIECES, st.sampled_from(ClaimStatus), PIECES, st.sampled_from(["", "because"]))


def checked(claim: str, evidence: str, status: ClaimStatus = SUPPORTED, reasoning: str = "It says so.") -> CheckedClaim:
    return check_claim(ReportedClaim(claim, status, evidence, reasoning), SOURCES)


def test_a_claim_with_evidence_in_a_source_stays_supported() -> None:  # S2.1
    found = checked("Receipts are required.", "receipts are required")
    assert found.place == EvidencePlace(1, LEAVE.index("Receipts"), LEAVE.index(" since"), 1.0)
    assert (found.status, found.evidence, found.reasoning) == (SUPPORTED, "Receipts are required", "It says so.")


@pytest.mark.parametrize("status", [SUPPORTED, PARTIAL])
@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        ("Refunds are paid in gold coins.", EVIDENCE_NOT_FOUND),
        ("gold", EVIDENCE_NOT_FOUND),
        ("of the", EVIDENCE_NOT_FOUND),
        ("", NO_EVIDENCE),
        (" \n", NO_EVIDENCE),
    ],
)
def test_evidence_that_is_in_no_source_does_not_count(status: ClaimStatus, evidence: str, reason: str) -> None:  # S2.1
    found = checked("Returns are possible.", evidence, status)
    assert (found.status, found.evidence, found.place) == (UNSUPPORTED, None, None)
    assert found.reasoning == f"It says so. {reason}"


@pytest.mark.parametrize(
    ("evidence", "located"),
    [
        ("All returns must be made in 30 days of purchase", True),
        ("All refunds may be asked for in 30 days of purchase", False),
    ],
)
def test_evidence_may_differ_by_fifteen_percent(evidence: str, located: bool) -> None:  # S2.1
    assert (locate_evidence(evidence, SOURCES) is not None) is located


def test_a_word_for_word_place_is_preferred_to_a_similar_one_before_it() -> None:  # S2.1
    place = locate_evidence("Members get 60 days", ["Members got 60 days.", "Members get 60 days."])
    assert place == EvidencePlace(1, 0, 19, 1.0)


def test_of_equal_places_the_first_source_is_taken() -> None:  # S2.1
    place = locate_evidence("Members get 60 days", ["None.", "Members get 60 days.", "Members get 60 days."])
    assert place is not None
    assert place.source == 1


@pytest.mark.parametrize("status", [SUPPORTED, PARTIAL])
@pytest.mark.parametrize(
    ("claim", "evidence", "kind"),
    [
        ("Returns must be made within 14 days.", "returns must be made within 30 days", "number"),
        ("Returns must be made within 14 days.", "All returns must be made", "number"),
        ("Returns must be made within 30 hours.", "within 30 days of purchase", "unit"),
        ("Receipts are required since 2017.", "Receipts are required", "date"),
        ("Receipts are not required.", "Receipts are required since 2019", "negation"),
        ("Items on final sale can be returned.", "Items on final sale cannot be returned.", "negation"),
    ],
)
def test_a_claim_that_its_evidence_contradicts_is_unsupported(
    status: ClaimStatus, claim: str, evidence: str, kind: str
) -> None:  # S2.1, S4.4
    found = checked(claim, evidence, status)
    assert (found.status, found.disagreements[0].kind) == (UNSUPPORTED, kind)
    assert found.reasoning == f"It says so. But {found.disagreements[0].message}."
    assert found.evidence is not None


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Returns are possible within 30 days, and members get 60 days.", "within 30 days of purchase"),
        ("Employees receive 15 days, members 60 days.", "Employees receive 15 days of paid leave."),
        ("Employees receive paid leave.", "15 days of paid leave"),
    ],
)
def test_a_value_that_the_evidence_only_leaves_out_is_no_contradiction(claim: str, evidence: str) -> None:  # S2.1
    assert checked(claim, evidence).status is SUPPORTED


def test_an_unsupported_claim_stays_so_whatever_it_quotes() -> None:  # S2.1
    found = checked("Members get 60 days.", "Members get 60 days", UNSUPPORTED)
    assert (found.status, found.reasoning, found.evidence) == (UNSUPPORTED, "It says so.", "Members get 60 days")


def test_without_sources_nothing_is_supported() -> None:  # S2.6
    found = check_claim(ReportedClaim("Members get 60 days.", SUPPORTED, "Members get 60 days", ""), [])
    assert (found.status, found.reasoning) == (UNSUPPORTED, EVIDENCE_NOT_FOUND)


@pytest.mark.parametrize("written", ["PARTIALLY_SUPPORTED", "partially_supported", " Partially_Supported "])
def test_a_status_is_read_as_models_write_it(written: str) -> None:  # S2.1
    assert ClaimStatus(written) is PARTIAL


@pytest.mark.parametrize("written", ["", "TRUE", None, 1])
def test_another_status_is_an_error(written: object) -> None:  # S2.1, N4
    with pytest.raises(ValueError, match="is not a valid ClaimStatus"):
        ClaimStatus(written)  # pyright: ignore[reportArgumentType] - what a reply may hold


def claims(*states: ClaimStatus) -> list[CheckedClaim]:
    return [CheckedClaim(f"claim {place}", state, None, "", None) for place, state in enumerate(states)]


@pytest.mark.parametrize(
    ("states", "grounded"),
    [((SUPPORTED, SUPPORTED), True), ((SUPPORTED, PARTIAL), False), ((UNSUPPORTED,), False), ((), False)],
)
def test_an_answer_is_grounded_when_every_claim_is_supported(
    states: tuple[ClaimStatus, ...], grounded: bool
) -> None:  # S2.1, S2.6
    assert is_grounded(claims(*states)) is grounded


def test_gaps_are_the_claims_that_need_more_evidence_the_worst_first() -> None:  # S2.3
    found = claims(PARTIAL, SUPPORTED, UNSUPPORTED, UNSUPPORTED)
    assert gaps([*found, *found]) == ["claim 2", "claim 3", "claim 0"]
    assert gaps(claims(SUPPORTED)) == gaps([]) == []


def test_a_quotation_that_avoids_the_sentence_which_says_otherwise_does_not_help() -> None:  # S2.1
    assert checked("All returns must be made within 90 days of purchase.", "Section 1.").status is UNSUPPORTED
    assert checked("Items on final sale can be returned.", "All returns must be made").status is UNSUPPORTED


def test_another_name_than_that_of_the_evidence_is_a_contradiction() -> None:  # S2.1
    sources = ["The warehouse in Rotterdam receives parcels."]
    for claim, status in (("The warehouse in Marseille receives parcels.", UNSUPPORTED), (sources[0], SUPPORTED)):
        assert check_claim(ReportedClaim(claim, SUPPORTED, sources[0], ""), sources).status is status


@pytest.mark.parametrize("evidence", ["Receipts are required since 2019.", "Members get 60 days."])
def test_a_claim_that_its_source_has_hardly_any_words_of_is_partly_supported_at_most(evidence: str) -> None:  # S2.1
    found = checked("Complaining customers get a bicycle from the president.", evidence)
    assert found.status is PARTIAL
    assert found.reasoning == f"It says so. {EVIDENCE_TOO_FAR}"


@given(REPORTS, st.lists(PIECES, max_size=3))
def test_a_status_never_rises_and_needs_evidence_to_stay(reported: ReportedClaim, sources: list[str]) -> None:  # S2.1
    found = check_claim(reported, sources)
    assert list(ClaimStatus).index(found.status) >= list(ClaimStatus).index(reported.status)
    assert (found.place is None) == (found.evidence is None)
    assert found.reasoning.startswith(reported.reasoning)
    if found.status is not UNSUPPORTED:
        assert found.place is not None
        assert not found.disagreements
    if found.status is reported.status and found.status is not UNSUPPORTED:
        assert found.reasoning == reported.reasoning
    elif reported.status is not UNSUPPORTED:
        assert len(found.reasoning) > len(reported.reasoning)


@given(REPORTS, st.lists(PIECES, max_size=3))
def test_evidence_is_a_slice_of_its_source(reported: ReportedClaim, sources: list[str]) -> None:  # N3
    found = check_claim(reported, sources)
    if found.place:
        assert sources[found.place.source][found.place.start : found.place.end] == found.evidence
        assert found.place.score >= 0.85


@given(st.sampled_from([s.strip() for s in f"{POLICY} {LEAVE}".split(". ")[1:]]))
def test_a_sentence_of_a_source_supports_itself(sentence: str) -> None:  # S2.1
    assert checked(sentence, sentence).status is SUPPORTED


@pytest.mark.timeout(30)  # minutes, if the two lengths were multiplied
def test_very_long_evidence_comes_to_an_end() -> None:  # S2.1
    assert locate_evidence("q" * 300_000, ["x " * 150_000]) is None
