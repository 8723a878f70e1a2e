"""The offline model's searches: words of the question, and names that passages give."""

from time import process_time

import pytest

from citewell_verify.prompting.numbered_sources import Sources
from clients.llm.offline.searching import decide_search, restate_question, rewrite_question
from verify_material.rows import for_all_rows

NOTHING = Sources([])


@for_all_rows(
    ("question", "parts"),
    [
        ("Compare the Atlas laptop and the Nova phone.", ["the Atlas laptop", "the Nova phone"]),
        ("What is the difference between OAuth and API keys?", ["OAuth", "API keys"]),
        ("How do lamps and desks differ in weight?", ["lamps weight", "desks weight"]),
        ("How long is the warranty and who repairs lamps?", ["How long is the warranty", "who repairs lamps"]),
        (
            "How long is the warranty, and what is the restocking fee?",
            ["How long is the warranty", "what is the restocking fee"],
        ),
        ("반품 정책과 환불 정책을 비교해 주세요", ["반품 정책", "환불 정책"]),
        ("배터리와 화면의 보증 기간은?", ["배터리 보증 기간은", "화면 보증 기간은"]),
        ("반품 기한은 며칠입니까? 그리고 환불은 어디로 됩니까?", ["반품 기한은 며칠입니까", "환불은 어디로 됩니까"]),
        ("What are the terms and conditions?", ["What are the terms and conditions?"]),
        ("결과 보고서의 내용은 무엇입니까?", ["결과 보고서의 내용은 무엇입니까?"]),
    ],
)
def test_each_part_of_a_question_is_searched_for(question: str, parts: list[str]) -> None:  # S3.6
    decided = decide_search(question, NOTHING, "(none)")
    assert (decided.action, decided.queries) == ("search", parts)
    made = "\n".join(f"- {part}" for part in parts)
    assert decide_search(question, NOTHING, made).action == "answer"
    left = decide_search(question, NOTHING, f"- {parts[0]}")
    assert left.queries == parts[1:]


def test_a_name_that_a_passage_gives_is_searched_for() -> None:  # S3.6
    question = "In which city was the founder of Acme Robotics born?"
    told = "Acme Robotics makes arms. The founder of Acme Robotics is Jane Doe, an engineer."
    decided = decide_search(question, Sources.numbered([("a.md", told)]), f"- {question}")
    assert (decided.action, decided.queries) == ("search", ["Jane Doe city born"])
    known = Sources.numbered([("a.md", told), ("b.md", "The engineer Jane Doe was born in Oslo.")])
    assert decide_search(question, known, f"- {question}").action == "answer"
    made = f"- {question}\n- Jane Doe city born"
    assert decide_search(question, Sources.numbered([("a.md", told)]), made).action == "answer"


GOING_ON = {
    "And opened items?": "Is that free (opened items)?",
    "Who pays for it?": "Who pays for returns?",
    "개봉한 전자 제품은요?": "Is that free (returns)? 개봉한 전자 제품은요?",
    "그건 누가 내나요?": "Is that free (returns)? 그건 누가 내나요?",
}
ALONE = [
    "What does the warranty of a laptop cover?",
    "Is there a warranty on laptops?",
    "What is the fee that applies to late returns?",
    "How long do I have to return an item if it is opened?",
    "Which documents do employees need when they travel?",
    "그럼 전자 제품은 언제까지 반품해야 하나요?",
]


@pytest.mark.parametrize(("question", "meant"), GOING_ON.items())
def test_a_question_goes_on_from_what_the_one_before_meant(question: str, meant: str) -> None:  # N9
    said = "user: How long do returns take?\nassistant: 30 days.\nuser: Is that free?\nassistant: Yes."
    assert restate_question(question, said).standalone_question == meant


def test_a_question_that_leaves_something_out_is_asked_in_full() -> None:  # N9
    said = "user: How much pressure does pump 4 run at?\nassistant: 24 bar.\nuser: What about pump 20?"
    assert restate_question("And when is it inspected?", said).standalone_question == "When is pump 20 inspected?"


@for_all_rows("question", ALONE)
def test_a_question_that_stands_alone_stays_as_it_is(question: str) -> None:  # N9
    assert restate_question(question, "user: How long do returns take?").standalone_question == question
    assert restate_question("And then?", "assistant: Hello.").standalone_question == "And then?"


def test_rewritings_have_the_words_of_the_question_and_no_others() -> None:  # S3.2
    asked = "What are the refund fees of the Atlas laptops?"
    written = rewrite_question(asked, 5).questions
    assert written == ["refund fees atlas laptops", "refund fees of the Atlas laptops", "refund fee atlas laptop"]
    assert rewrite_question(asked, 1).questions == written[:1]
    assert rewrite_question("환불의 규정은 무엇인가요?", 1).questions == ["환불 규정"]
    assert rewrite_question("refunds", 3).questions == ["refund"]
    assert rewrite_question("refund", 3).questions == []


@pytest.mark.parametrize("piece", ["하고 ", "a and ", "compare a ", "how do a and "])
def test_a_hostile_question_is_taken_apart_in_bounded_time(piece: str) -> None:  # F9
    question = "compare " + piece * (20_000 // len(piece))
    started = process_time()
    decide_search(question, Sources(), "")
    assert process_time() - started < 2
