"""Extracted text that is a sentence and can serve as an answer."""

import time

from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.text.readability import is_readable
from verify_material.rows import for_all_rows


# V8
@for_all_rows(
    "text",
    [
        "3.6.4 Defining and creating row permissions 25",
        "Chapter 2 Security fundamentals 17",
        "1.2 Current state . . . . . . . . . . . . 4",
        "Country Population (millions) Area (km2 ) Capital Official Language",
        "Capital Jakarta Berlin Vienna Paris Vatican City",
        "id | name | age",
        "2019\t120\t80",
        "Figure 3-2 RCAC and views.",
        "Table 2. Effects of the number of layers on the scores.",
        "[그림 4-5] 8대 미래 유망 보안기술 도출",
        "# Returns and Refunds",
        "Returns and Refunds",
        "Amcor Reports Solid Third Quarter Results",
        "이슈와 논점",
        "r Pandas eat bamboo",
        "and the rest of the year.",
        "What is the refund period?",
        "The following topics are covered in this chapter:",
        "[3] J. Smith et al., Journal of Foo, vol. 3, pp. 4-9, doi:10.1.",
        "12.5 13.7 14.9 15.1 16.3.",
        "",
    ],
)
def test_apparatus_is_no_sentence(text: str) -> None:
    assert not is_readable(text)


@for_all_rows(
    "text",
    [
        "All returns must be made within 30 days of the purchase date.",
        "- Unused leave is lost at the end of the year",
        "1. Spell check allowed users to spot errors automatically.",
        "Table 2 shows the costs of each plan.",
        "They are paid within 5 days of a claim.",
        "2023년 매출은 3,940억 원으로 전년 대비 12% 증가했습니다.",
        "모든 환불 요청은 구매일로부터 30일 이내에 해야 합니다.",
        "Ein topologischer Raum ist ein Paar aus einer Menge und ihren offenen Teilmengen.",
        "払い戻しは30日以内に行う必要があります。",
        "IBM was founded in 1911 as the Computing-Tabulating-Recording Company (CTR).",
    ],
)
def test_a_sentence_is_readable(text: str) -> None:  # V8
    assert is_readable(text)


@given(st.text(max_size=400))
def test_any_text_is_judged(text: str) -> None:
    assert is_readable(text) in (True, False)


@for_all_rows("piece", [" ", "a ", ". ", "1 ", "A", "\t", "(", "… "])
def test_long_texts_take_time_by_their_length(piece: str) -> None:
    started = time.process_time()
    is_readable(piece * 100_000)
    assert time.process_time() - started < 2
