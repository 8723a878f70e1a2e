"""Conversations on whole stacks: a follow-up is asked, answered and verified as what it means (N9)."""

from typing import Any

import pytest

from tests.e2e.stack import Stack

pytestmark = pytest.mark.slow

WORKSPACE = "conversations"
ENGLISH = "\n\n".join(
    f"Pump {number} runs at a pressure of {number + 20} bar. Pump {number} is inspected every {number + 2} months."
    for number in (1, 4, 10, 20)
)
KOREAN = "\n\n".join(
    f"펌프 {number}의 압력은 {number + 20}바이다. 펌프 {number}의 점검은 매년 {month}월에 한다."
    for number, month in ((1, 3), (4, 5), (20, 11))
)


def begin(stack: Stack, workspace: str = WORKSPACE) -> str:
    return stack.http.post("/v1/conversations", json={"workspace": workspace}).raise_for_status().json()["id"]


def ask(stack: Stack, conversation: str, question: str, **body: Any) -> dict[str, Any]:
    path = f"/v1/conversations/{conversation}/turns"
    accepted = stack.http.post(path, json={"question": question, **body}).raise_for_status().json()
    return stack.wait(accepted["id"])


def test_without_a_model_a_follow_up_finds_what_it_refers_to(offline: Stack) -> None:  # N9
    offline.add_text("pumps.md", ENGLISH, workspace=WORKSPACE)
    conversation = begin(offline)
    first = ask(offline, conversation, "How much pressure does pump 4 run at?")
    assert (first["restated_question"], first["abstained"]) == (None, False)
    assert "24 bar" in first["answer"]
    second = ask(offline, conversation, "What about pump 20?")
    assert second["restated_question"] == "How much pressure does pump 20 run at?"
    assert "40 bar" in second["answer"]
    third = ask(offline, conversation, "And when is it inspected?")
    assert third["restated_question"] == "When is pump 20 inspected?"
    assert "22 months" in third["answer"]
    assert {each["status"] for each in third["verification"]["sentences"]} == {"supported"}
    edited = ask(offline, conversation, "What about pump 10?", replaces=second["id"])
    assert "30 bar" in edited["answer"]
    shown = offline.http.get(f"/v1/conversations/{conversation}/turns").json()["turns"]
    assert [each["answer"] for each in shown] == [first["answer"], edited["answer"]]
    assert offline.http.get(f"/v1/conversations/{conversation}").json()["title"] == first["question"]


def test_in_korean_too(offline: Stack) -> None:  # N9
    offline.add_text("펌프.md", KOREAN, workspace="korean-conversations")
    conversation = begin(offline, "korean-conversations")
    ask(offline, conversation, "펌프 4의 압력은 얼마인가요?")
    second = ask(offline, conversation, "펌프 20은?")
    assert second["restated_question"] == "펌프 20의 압력은 얼마인가요?"
    assert "40바" in second["answer"]
    third = ask(offline, conversation, "그건 언제 점검하나요?")
    assert third["restated_question"] == "펌프 20은 언제 점검하나요?"
    assert "11월" in third["answer"]


def test_with_a_model_six_turns_are_restated_by_it(groq: Stack) -> None:  # N9
    groq.add_text("pumps.md", ENGLISH, workspace=WORKSPACE)
    conversation = begin(groq)
    first = ask(groq, conversation, "How much pressure does pump 4 run at?")
    assert (first["status"], first["restated_question"]) == ("succeeded", None)
    for question in ("And when is it inspected?", "Is it inspected?", "How often is it?", "Who does that?", "And it?"):
        found = ask(groq, conversation, question)
        assert found["status"] == "succeeded"
        assert found["restated_question"].endswith(question)
        history = groq.http.get(f"/v1/queries/{found['id']}/verifications").json()
        assert [call["prompt"] for call in history["model_calls"]].count("restate_question") == 1
    assert [each["position"] for each in groq.http.get(f"/v1/conversations/{conversation}/turns").json()["turns"]] == [
        1, 2, 3, 4, 5, 6,
    ]  # fmt: skip
