"""Disagreements: found where claim and source differ, silent where they do not (S4.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.evidence.contradictions import Disagreement, disagreements, without_markers
from verify_material.rows import for_all_rows

POLICY = (
    "All returns must be made within 30 days of purchase. Items on final sale cannot be returned. "
    "Receipts are required. Employees receive 15 days of paid leave and give notice three days in advance. "
    "Since 2019, revenue has increased by 12% to $394,000 million."
)
KOREAN = (
    "환불 요청은 구매일로부터 30일 이내에 해야 합니다. 남은 휴가는 다음 해로 이월되지 않습니다. "
    "매출은 12% 증가했습니다."
)
SENTENCES = st.sampled_from(POLICY.split(". ")[:-1] + KOREAN.split(". ")[:-1])


def only(claim: str, source: str) -> Disagreement:
    (found,) = disagreements(claim, source)
    return found


@for_all_rows(
    ("claim", "kind", "claim_value", "source_value"),
    [
        ("Returns are possible for 14 days.", "number", "14 days", "30 days"),
        ("Employees receive 20 days of paid leave.", "number", "20 days", "15 days"),
        ("Notice is due 3 weeks in advance.", "unit", "3 weeks", "three days"),
        ("Returns must be made within 30 minutes.", "unit", "30 minutes", "30 days"),
        ("Revenue has increased since 2018.", "date", "2018", "2019"),
        ("Revenue increased to 394 million dollars.", "number", "394 million dollars", "$394,000 million"),
        ("Revenue increased by 12 percentage points.", "unit", "12 percentage points", "12%"),
        ("Receipts are not required.", "negation", "required", "required"),
        ("Items on final sale can be returned.", "negation", "returned", None),
        ("Since 2019, revenue has decreased by 12%.", "negation", "decreased", "increased"),
    ],
)
def test_a_differing_number_date_unit_or_negation_is_found(
    claim: str, kind: str, claim_value: str, source_value: str | None
) -> None:
    found = only(claim, POLICY)
    assert (found.kind, found.claim_value, found.source_value) == (kind, claim_value, source_value)
    assert claim_value in found.message


@pytest.mark.parametrize(
    ("claim", "kind"),
    [
        ("환불 요청은 구매일로부터 14일 이내에 해야 합니다.", "number"),
        ("남은 휴가는 다음 해로 이월됩니다.", "negation"),
        ("매출은 12% 감소했습니다.", "negation"),
        ("2023년 매출은 12% 증가했습니다.", "date"),
    ],
)
def test_korean_disagreements_are_found(claim: str, kind: str) -> None:
    assert only(claim, KOREAN).kind == kind


@for_all_rows(
    "claim",
    [
        "Customers have thirty days to return items [†14].",
        "Final sale items can't be returned.",
        "One of the rules is that receipts are required.",
        "The two groups of employees receive paid leave.",
        "Revenue has grown to about $394 billion since 2019.",
        "Revenue grew by 12 percent over the last years.",
        "Employees, not customers, receive leave.",
        "Receipts are required: never mind, never.",
        "매출은 12퍼센트 증가했다.",
    ],
)
def test_agreeing_claims_raise_no_alarm(claim: str) -> None:
    assert disagreements(claim, f"{POLICY} {KOREAN}") == ()


@given(SENTENCES, st.permutations([POLICY, KOREAN]))
def test_a_text_never_disagrees_with_its_own_sentences(sentence: str, texts: list[str]) -> None:
    assert disagreements(sentence, "\n\n".join(texts)) == ()


@given(st.text(max_size=60), st.text(max_size=120))
def test_any_texts_can_be_compared(claim: str, source: str) -> None:
    assert all(found.claim_value for found in disagreements(claim, source))


@given(st.lists(st.sampled_from(["word ", "[†12]", "[3]", "[2019]", "3.5%"]), max_size=8).map("".join))
def test_blanking_markers_moves_nothing(text: str) -> None:
    plain = without_markers(text)
    assert len(plain) == len(text)
    assert "†" not in plain
    assert plain.count("[2019]") == text.count("[2019]")


LEASE = (
    "The lease runs for 24 months from 1 April 2024. The rent is $1,850 a month. The deposit of $3,700 is kept until "
    "30 June 2026. Damage without a police report is not covered."
)


@pytest.mark.parametrize(
    ("claim", "kind", "claim_value", "source_value"),
    [
        ("The rent is $3,700 a month.", "number", "$3,700", "$1,850"),
        ("The deposit of $3,700 is kept until 1 April 2024.", "date", "1 April 2024", "30 June 2026"),
        ("The lease runs for ２５ months from 1 April 2024.", "number", "25 months", "24 months"),
        ("Damage without a police report is covered.", "negation", "covered", None),
    ],
)
def test_what_belongs_to_another_sentence_of_the_source_is_found(
    claim: str, kind: str, claim_value: str, source_value: str | None
) -> None:
    found = only(claim, LEASE)
    assert (found.kind, found.claim_value, found.source_value) == (kind, claim_value, source_value)  # S4.4


@for_all_rows(
    "claim",
    [
        "The lease runs for ２４ months.",
        "The rent is $1,850 a month; the deposit of $3,700 is kept until 30 June 2026.",
        "According to context 2, the rent is 1850 dollars a month.",
        "The lease runs from 2024-04-01.",
        "Damage is not covered without a police report.",
    ],
)
def test_figures_in_another_form_or_order_raise_no_alarm(claim: str) -> None:
    assert disagreements(claim, LEASE) == ()  # S4.4


@for_all_rows("piece", ["1", "보다", "not ", "A-", "12 34, ", "1억 2만 ", "Aa of the ", "2020-05-05 "])
def test_a_hostile_text_is_compared_like_any_other(piece: str) -> None:
    long = piece * (20_000 // len(piece))
    assert disagreements(long, long) == () or piece.strip()
    assert isinstance(disagreements(POLICY, long), tuple)
