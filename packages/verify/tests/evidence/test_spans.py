"""Evidence for a claim: how relevant a text is to it, and which of its words are the best evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.evidence.contradictions import disagreements
from citewell_verify.evidence.spans import best_text_span, claim_relevance
from verify_material.rows import for_all_rows

POLICY = (
    "Section 3.2: Returns and Refunds\n\nAll returns must be made within 30 days of purchase date. "
    "Exceptions may apply for defective products. Ok."
)
LONG = (
    "The committee decided, after long discussions about many unrelated matters which are of no interest whatsoever to "
    "the present reader, and despite protests from several members, that the refund period will be extended to sixty "
    "days for premium customers, while all regular customers keep the former rules exactly as they were."
)
PIECES = st.sampled_from(["refund ", "days. ", "Other words! ", "환불 ", "x" * 30 + " ", "y" * 250, "\n\n", "  "])


# S4.4
@for_all_rows(
    ("claim", "source", "least", "most"),
    [
        ("allows returns within 30 days", POLICY, 0.75, 0.9),
        ("All returns must be made within 30 days [†1].", POLICY, 1.0, 1.0),
        ("환불은 30일 이내에 가능", "모든 환불 요청은 구매일로부터 30일 이내에 해야 합니다.", 0.75, 0.9),
        ("bananas grow in Ecuador", POLICY, 0.0, 0.0),
        ("it is what it is", "What it is.", 1.0, 1.0),
        ("", POLICY, 0.0, 0.0),
    ],
)
def test_relevance_is_the_share_of_the_claims_words(claim: str, source: str, least: float, most: float) -> None:
    assert least <= claim_relevance(claim, source) <= most


@given(st.text(max_size=80), st.text(max_size=80))
def test_relevance_is_a_share_and_never_falls_with_more_source(claim: str, source: str) -> None:
    assert 0.0 <= claim_relevance(claim, source) <= claim_relevance(claim, f"{source}\n\n{claim}") <= 1.0


# S4.6
@pytest.mark.parametrize(
    ("claim", "span"),
    [
        ("allows returns within 30 days", "All returns must be made within 30 days of purchase date."),
        ("defective goods", "Exceptions may apply for defective products."),
    ],
)
def test_the_span_is_the_sentence_with_most_of_the_claims_words(claim: str, span: str) -> None:
    start, end = best_text_span(POLICY, claim, min_chars=20)
    assert POLICY[start:end] == span


def test_a_short_sentence_is_widened_by_its_neighbours() -> None:
    start, end = best_text_span(POLICY, "defective products", min_chars=50)
    assert "Exceptions may apply for defective products. Ok." in POLICY[start:end]
    assert 50 <= end - start <= 200


def test_a_long_sentence_is_cut_to_its_densest_words() -> None:
    start, end = best_text_span(LONG, "refund period of sixty days for premium customers", max_chars=100)
    assert LONG[start:end].startswith("refund period will be extended to sixty days for premium customers")
    assert 50 <= end - start <= 100


def test_the_end_of_a_long_sentence_is_widened_to_the_least_length() -> None:
    start, end = best_text_span(LONG, "former rules as they were", max_chars=100)
    assert LONG[start:end].endswith("rules exactly as they were.")
    assert 50 <= end - start <= 100


@given(st.lists(PIECES, max_size=12).map("".join), st.integers(1, 80), st.integers(0, 120))
def test_a_span_is_never_too_long_and_begins_and_ends_with_a_visible_character(
    text: str, least: int, more: int
) -> None:
    start, end = best_text_span(text, "refund 환불", least, least + more)
    assert 0 <= start <= end <= min(len(text), start + least + more)
    if text.strip():
        assert text[start:end].strip() == text[start:end] != ""


@given(st.lists(st.sampled_from(["refund", "other.", "환불", "days"]), min_size=1, max_size=60).map(" ".join))
def test_a_span_has_the_least_length_if_the_text_has(text: str) -> None:
    start, end = best_text_span(text, "refund", 50, 200)
    assert end - start >= min(50, len(text))


def test_a_blank_text_has_no_span() -> None:
    assert best_text_span(" \n ", "anything") == (0, 0)


def test_a_statement_of_more_than_2000_characters_is_never_called_agreeing() -> None:  # F1
    text = "The bridge was opened in 1998. " * 70
    (found,) = disagreements(text, text)
    assert (found.kind, found.source_value) == ("wording", None)
    assert "2,000 characters" in found.message
