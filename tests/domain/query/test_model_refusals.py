"""A model refuses in other words than it was told (S5.3, V8); what only begins so is an answer."""

import time

import pytest

from domain.query.model_refusals import refuses
from verify_material.rows import for_all_rows

REFUSALS = [
    "I don't know.",
    "I don’t know",
    "I do not know the answer to this question.",
    "I'm sorry, but I don't know.",
    "I don't know. I don't know based on the documents.",
    "The provided documents do not contain information about the price of pump 4.",
    "Based on the provided sources, I cannot determine who wrote the report.",
    "The sources do not mention the capital of Mongolia. [†1]",
    "Unfortunately, there is no information about refunds in the provided context.",
    "I cannot answer this question based on the given sources. Please let me know if you have other questions.",
    "It is not mentioned in the provided documents.",
    "I don't have enough information to answer.",
    "I could not find the number of employees in the provided passages.",
    "No answer is available.",
    "Ich weiß es nicht.",
    "모르겠습니다",
    "잘 모르겠습니다.",
    "죄송합니다만, 제공된 문서에는 해당 정보가 없습니다.",
    "제공된 문서에는 사망자 수가 나와 있지 않습니다.",
    "제공된 자료만으로는 알 수 없습니다.",
    "문서에서 관련 정보를 찾을 수 없습니다. 추가 정보를 제공해 주시면 도와드리겠습니다.",
    "출처에 환불 기간에 대한 내용이 없습니다.",
    "정보가 부족하여 답변드리기 어렵습니다.",
]
ANSWERS = [
    "I don't know who wrote it, but the pump runs at 24 bar [†1].",
    "I don't know based on the documents. Refunds take 30 days.",
    "The sources do not mention the price. The pump weighs 12 kg [†1].",
    "The provided documents do not mention pump 14, but pump 4 runs at 11 bar.",
    "The contract does not include maintenance.",
    "The documents do not have to be signed.",
    "No information may be passed to third parties.",
    "No data is stored on the server.",
    "There is no information desk in Building B.",
    "We cannot provide a refund after 30 days.",
    "The board could not find a second offer.",
    "I can't tell you the exact price, it is about 20 euros.",
    "창고에는 소화기가 없습니다.",
    "회사는 개인정보를 제3자에게 제공할 수 없습니다.",
    "이 문서는 외부에 공개할 수 없습니다.",
    "문서에는 원인이 나와 있지 않지만 사망자는 2명입니다.",
    "30일이 지나면 환불할 수 없습니다.",
    "관련 정보는 외부에 공개되지 않습니다.",
    "사고 당시 스프링클러에 대한 점검 기록이 없습니다.",
]


@for_all_rows("answer", REFUSALS)
def test_a_refusal_in_a_models_own_words_is_one(answer: str) -> None:  # V8
    assert refuses(answer)


@for_all_rows("answer", ANSWERS)
def test_an_answer_that_only_sounds_or_begins_like_a_refusal_is_none(answer: str) -> None:  # V8
    assert not refuses(answer)


def test_a_workspaces_own_words_are_known() -> None:
    assert refuses("Ask the desk.", "Ask the desk")
    assert not refuses("Ask the desk.")
    assert not refuses("")


@pytest.mark.parametrize(
    "piece", ["the documents do not ", "no information about in ", "문서에는 정보가 ", "제공된 문서에는 "]
)
def test_a_long_or_hostile_answer_is_read_in_bounded_time(piece: str) -> None:  # F9
    started = time.process_time()
    refuses(piece * 10_000)
    refuses((piece * 100)[:290])
    assert time.process_time() - started < 1
