"""Citation types: quote, paraphrase or inference, decided by the words (S4.2)."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.evidence.citation_types import CONFIDENCE_ORDER, citation_type, quoted_parts, weaker
from citewell_verify.prompting.judgements import CitationType
from citewell_verify.text.words import words
from verify_material.rows import for_all_rows

SPAN = "All returns must be made within 30 days of purchase date. Receipts are required."
KOREAN = "모든 환불 요청은 구매일로부터 30일 이내에 해야 합니다."
TYPES = st.sampled_from(CONFIDENCE_ORDER)
WORDS = st.lists(
    st.sampled_from(["returns", "30", "days", "therefore", "환불은", "'", '"', "[†1]", ".", "cats"]), max_size=9
)


@for_all_rows(
    ("claim", "span", "expected"),
    [
        ("The refund policy states: 'All returns must be made within 30 days'", SPAN, "direct_quote"),  # the seed's
        ("The policy says “returns must be made within 30 days” [†1].", SPAN, "direct_quote"),
        ("all returns must be made WITHIN 30 days!", SPAN, "direct_quote"),
        ("환불 요청은 구매일로부터 30일 이내에 해야 합니다[†2].", KOREAN, "direct_quote"),
        ("규정은 「구매일로부터 30일 이내에」라고 말합니다.", KOREAN, "direct_quote"),
        ("Thus returns are possible.", "Thus returns are possible.", "direct_quote"),
        ("Customers have 30 days to return items", SPAN, "paraphrase"),  # the seed's
        ("The policy says 'all returns must be made within 60 days of purchase date'", SPAN, "paraphrase"),
        ("The 'returns' must come within 30 days of purchase.", SPAN, "paraphrase"),
        ("Customer's returns are made within 30 days, it's said.", SPAN, "paraphrase"),
        ("환불은 구매 후 30일 이내에 요청해야 한다.", KOREAN, "paraphrase"),
        ("The data suggest that sales rose in May.", "Sales data for May suggest that they rose.", "paraphrase"),
        ("This suggests receipts are mandatory for returns", SPAN, "inference"),  # the seed's
        ("Returns must therefore be made within 30 days.", SPAN, "inference"),
        ("따라서 환불 요청은 30일 이내에 해야 합니다.", KOREAN, "inference"),
        ("환불 요청은 구매일로부터 30일 이내임을 시사한다.", KOREAN, "inference"),
        ("Shoppers enjoy generous conditions.", SPAN, "inference"),
        ("", SPAN, "inference"),
        ("[†1]", SPAN, "inference"),
        ("Anything at all", "", "inference"),
    ],
)
def test_the_type_follows_from_the_words(claim: str, span: str, expected: CitationType) -> None:  # S4.2
    assert citation_type(claim, span) == expected


def test_half_of_the_content_words_are_not_most() -> None:  # S4.2
    assert citation_type("returns cats", SPAN) == "inference"
    assert citation_type("returns days cats", SPAN) == "paraphrase"


def test_part_of_a_word_is_no_quote() -> None:  # S4.2
    assert citation_type("art", "Hearts beat.") == "inference"


def test_all_quotations_have_to_be_true_to_the_letter() -> None:  # S4.2
    claim = '"All returns must be made" and "within ten or twelve days", it says'
    assert citation_type(claim, SPAN) != "direct_quote"


def test_short_terms_in_quotation_marks_are_no_quotations() -> None:  # S4.2
    assert quoted_parts("the “refund period” is 'thirty whole days' long, isn't it") == ["thirty whole days"]


def test_confidence_falls_from_quote_to_inference() -> None:  # S4.2
    assert CONFIDENCE_ORDER == get_args(CitationType) == ("direct_quote", "paraphrase", "inference")


@given(TYPES, TYPES)
def test_the_weaker_type_is_the_later_one(one: CitationType, other: CitationType) -> None:  # S4.2
    places = [CONFIDENCE_ORDER.index(each) for each in (one, other)]
    assert weaker(one, other) == weaker(other, one) == CONFIDENCE_ORDER[max(places)]


@given(st.data())
def test_any_run_of_words_of_a_span_is_a_quote_of_it(data: st.DataObject) -> None:  # S4.2
    spoken = words(SPAN)
    start = data.draw(st.integers(0, len(spoken) - 1))
    end = data.draw(st.integers(start + 1, len(spoken)))
    assert citation_type(" ".join(spoken[start:end]).upper(), SPAN) == "direct_quote"


@given(WORDS.map(" ".join), WORDS.map(" ".join))
def test_case_and_full_stops_do_not_matter(claim: str, span: str) -> None:  # S4.2
    found = citation_type(claim, span)
    assert found in CONFIDENCE_ORDER
    assert citation_type(claim.upper() + ".", span) == found


@for_all_rows("piece", ["'", '"', "“", "a'b ", "' '", "「x"])
@pytest.mark.timeout(30)  # for ever, if a pattern backtracks
def test_a_hostile_claim_comes_to_an_end(piece: str) -> None:  # S4.2
    assert citation_type(piece * (50_000 // len(piece)), SPAN) == "inference"
