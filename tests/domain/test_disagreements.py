"""Disagreements: found where claim and source differ, silent where they do not (S4.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.disagreements import Disagreement, disagreements, without_markers

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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
