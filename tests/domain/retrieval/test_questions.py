"""What a question is searched by: how to answer is no part of it, and terms of analysts lead to words of statements."""

from domain.retrieval.lexemes import (
    Collection,
    Occurrences,
    lexemes,
    lexical_order,
    searched_question,
    without_instructions,
)
from verify_material.rows import for_all_rows


@for_all_rows(
    ("asked", "left"),
    [
        ("What is the margin? Round your answer to one decimal place.", "What is the margin?"),
        ("You are a careful analyst. What is the margin? Answer in euros.", "What is the margin?"),
        ("What is the margin? Give a short answer that relies on the notes.", "What is the margin?"),
        ("Is the margin stable? If margins say little here, then state that and explain why.", "Is the margin stable?"),
        ("마진은 얼마입니까? 소수점 둘째 자리까지 답변해 주세요.", "마진은 얼마입니까?"),
    ],
)
def test_how_to_answer_is_not_searched_for(asked: str, left: str) -> None:  # S1.1
    assert without_instructions(asked) == left


@for_all_rows(
    "asked",
    [
        "Round the corners of the table?",
        "Answer the phone within three rings.",
        "I am going to Spain. Explain what my insurance covers.",
        "How do I answer a complaint? Which form is used?",
        "What is the gross margin? Please use the FY2019 10-K of Best Buy.",
        "Please base it on the annual report of 2021. What was net income?",
        "Round trips to Seoul cost 400 euros. Are they reimbursed?",
        "Reply deadlines are 30 days. What if I miss mine?",
        "You are a landlord in Texas. Can you evict for noise?",
        "My kettle broke. Please explain the refund policy for kettles. Is it allowed?",
        "We had a leak, then state police came. Who pays?",
        "The employer has to provide an answer within 30 days. What happens otherwise?",
        "답변 기한 내에 제출하지 않은 서류의 목록을 알려주세요. 과태료는 얼마입니까?",
    ],
)
def test_a_question_that_only_has_such_words_stays_whole(asked: str) -> None:  # S1.1
    assert without_instructions(asked) == asked


def test_a_term_of_analysts_finds_the_row_that_says_it_otherwise() -> None:  # S1.1
    texts = ("The board spoke about capex plans.", "Purchases of property, plant and equipment\t41\t37", "Sales\t9\t8")
    held = [lexemes(text) for text in texts]
    counted = {lexeme: sum(lexeme in row for row in held) for row in held for lexeme in row}
    passages = [
        Occurrences(at, len(row), {lexeme: [row.index(lexeme) + 1] for lexeme in row}) for at, row in enumerate(held)
    ]
    asked = searched_question("How high was capex in FY2031?")
    collection = Collection(len(texts), 7, counted)
    assert 1 not in lexical_order(asked.own, passages, collection)
    assert 1 in lexical_order(asked.own, passages, collection, asked.further)


def test_a_question_without_such_terms_is_searched_by_its_own_words_alone() -> None:  # S1.1
    assert searched_question("Who may return shoes?").further == ()
    assert searched_question("Who may return shoes?").own == tuple(lexemes("Who may return shoes?"))


def test_a_fiscal_period_is_found_under_its_year_and_quarter() -> None:  # S1.1
    assert lexemes("FY2031") == ["fy2031", "2031"]
    assert lexemes("Q22031") == ["q22031", "q2", "2031"]
    assert set(lexemes("fiscal 2031, Q2")) & set(lexemes("Q22031")) == {"2031", "q2"}
    assert lexemes("model FY20") == ["model", "fy20"]
