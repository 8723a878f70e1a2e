"""A question asserts nothing; with its answer it does (V4)."""

import pytest

from citewell_verify.facts.reading.questions import is_question, read_with_answers, what_is_asked_about
from verify_material.rows import for_all_rows


@for_all_rows(
    ("text", "asks"),
    [
        ("How much does the X100 weigh?", True),
        ("Q2. In which year was it built?", True),
        ("Is it waterproof?", True),
        ("**Isn't it heavy?**", True),
        ("X100의 무게는 얼마인가요?", True),
        ("방수가 되나요?", True),
        ("How to get around", False),
        ("It weighs 7 kg.", False),
        ("She starred in Who Is Afraid of the Sea?", False),
    ],
)
def test_what_is_a_question(text: str, asks: bool) -> None:
    assert is_question(text) is asks


@for_all_rows(
    ("sentences", "read"),
    [
        (["Where is it?", "In Oslo."], [("Where is it? In Oslo.", True)]),
        (["Where is it?", "A:", "In Oslo."], [("Where is it? A: In Oslo.", True)]),
        (["Is it heavy?", "Yes, it weighs 7 kg."], [("Is it heavy?", True), ("it weighs 7 kg.", True)]),
        (["Is it heavy?", "No."], [("Is it heavy? No", True)]),
        (["방수가 되나요?", "아니요, 되지 않습니다."], [("방수가 되나요? 아니요", True), ("되지 않습니다.", True)]),
        (["Is it heavy?", "That depends."], [("Is it heavy?", False), ("That depends.", True)]),
        (["Is it heavy?", "Is it large?", "Yes."], [("Is it heavy?", False), ("Is it large?", True)]),
        (["Is it heavy?", "# Size"], [("Is it heavy?", False), ("# Size", True)]),
        (["Is it heavy?"], [("Is it heavy?", False)]),
        (["It is heavy.", "It is large."], [("It is heavy.", True), ("It is large.", True)]),
    ],
)
def test_a_question_is_read_with_its_answer(sentences: list[str], read: list[tuple[str, bool]]) -> None:
    found = read_with_answers(sentences, {"# Size"})
    assert [(clause.text, clause.asserts) for each in found for clause in each.clauses] == read


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("How much does the X100 weigh?", ["X100"]),
        ("How long does delivery take?", ["delivery", "take"]),
        ("박물관은 언제 여나요?", ["박물관은"]),
    ],
)
def test_what_a_question_asks_about(question: str, asked: list[str]) -> None:
    assert [each.text for each in what_is_asked_about(question)] == asked
