"""A server that reads only a part of a prompt is noticed by its count; counting in another way is no cut."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from citewell_verify.judging.statement import Failure
from citewell_verify.prompting.judgements import CHECK_ANSWERABILITY, GENERATE_ANSWER
from citewell_verify.prompting.numbered_sources import Sources
from clients.llm.completions.providers import CompatibleModel
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog, ModelRequest, PromptCut
from config.models import ModelSettings
from tests.simulators.peculiar import NAME, Peculiar, Ways
from verify_material.rows import for_all_rows

ENGLISH = "Office {} keeps a register of its furniture, which the caretaker compares with the rooms every spring. "
KOREAN = "{}호 사무실은 가구 대장을 두고 있으며 관리인이 봄마다 방의 상태와 하나씩 비교하여 날짜를 적는다. "


def request(sentence: str, count: int, question: str = "Who compares the register?") -> ModelRequest:
    text = "".join(sentence.format(number) for number in range(count))
    fields = {"sources": Sources.numbered([("a.md", text)]), "question": question, "idk": "I don't know.", "style": ""}
    return ModelRequest(GENERATE_ANSWER.name, fields, NAME, 600, 30.0)


def windows(ways: Ways, requests: Sequence[ModelRequest]) -> list[int | None]:
    """For each request in order, the tokens at which its prompt was cut, None if it was not."""

    async def asked() -> list[int | None]:
        cuts: list[int | None] = []
        model = CompatibleModel("", server.address, catalogue={})
        for call in requests:
            try:
                _ = [part async for part in model.stream(call)]
            except PromptCut as cut:
                cuts.append(cut.window)
            else:
                cuts.append(None)
        await model.aclose()
        return cuts

    with Peculiar(ways) as server:
        return asyncio.run(asked())


@pytest.mark.parametrize("sentence", [ENGLISH, KOREAN])
@pytest.mark.parametrize("window", [300, 777])
def test_a_long_prompt_that_is_cut_is_noticed_at_once(sentence: str, window: int) -> None:
    long, longer = request(sentence, 60), request(sentence, 80)
    ways = Ways(cut_at=window)
    assert windows(ways, [long, request(sentence, 2), longer]) == [window, None, window]
    assert len(ways.asked) == 4  # three questions, and one prompt twice


def test_prompts_that_lost_a_little_do_not_hide_those_that_lost_more() -> None:  # 37
    growing = [request(ENGLISH, count) for count in (8, 10, 12, 14, 20)]
    ways = Ways(cut_at=growing[0].text.size // 4)
    assert windows(ways, growing)[-1] == ways.cut_at
    assert len(ways.asked) <= len(growing) + 1


COUNTINGS: dict[str, Callable[[int], int]] = {
    "only what was not kept": lambda tokens: 1,
    "nothing": lambda tokens: 0,
    "a share": lambda tokens: max(1, tokens // 10),
    "all": lambda tokens: tokens,
    "small tokens": lambda tokens: tokens * 3,
}


@for_all_rows("counting", COUNTINGS)
def test_counting_in_its_own_way_is_no_cut(counting: str) -> None:
    ways = Ways(counts=COUNTINGS[counting])
    assert windows(ways, [request(ENGLISH, count) for count in (60, 2, 80, 60)]) == [None] * 4
    assert len(ways.asked) <= 5


def test_a_server_that_keeps_beginnings_is_not_accused() -> None:
    kept = [True, False, True, True]  # the second prompt is new, also because of its beginning
    ways = Ways(counts=lambda tokens: tokens // 12 if kept.pop(0) else tokens)
    assert windows(ways, [request(ENGLISH, count) for count in (60, 61, 62)]) == [None] * 3


def test_a_window_that_was_raised_is_no_longer_told() -> None:
    ways = Ways(cut_at=300)

    async def asked() -> list[bool]:
        told: list[bool] = []
        model = CompatibleModel("", server.address, catalogue={})
        for ways.cut_at in (300, None, None):
            try:
                await model.complete(request(ENGLISH, 60))
            except PromptCut:
                told.append(True)
            else:
                told.append(False)
        await model.aclose()
        return told

    with Peculiar(ways) as server:
        assert asyncio.run(asked()) == [True, False, False]


def test_what_was_judged_with_a_cut_prompt_is_a_failure_that_says_so() -> None:
    call = request(ENGLISH, 60)
    fields = {"sources": call.fields["sources"], "question": "Who?", "answer": "The caretaker does. [†1]"}

    async def asked() -> tuple[object, object, list[int]]:
        model = CompatibleModel("", server.address, catalogue={})
        gateway = ModelGateway(model, ModelSettings(main=NAME, fast=NAME, fallbacks={}))
        log = CallLog()
        judged = await gateway.ask(CHECK_ANSWERABILITY, fields, log=log)
        written = await gateway.compose(GENERATE_ANSWER, call.fields, log=log)
        reserved = model.reserves(call)
        await model.aclose()
        return judged, written, [len(log.records), reserved]

    with Peculiar(Ways(cut_at=400)) as server:
        judged, written, (calls, reserved) = asyncio.run(asked())
    for failure in (judged, written):
        assert isinstance(failure, Failure)
        assert failure.kind == "refused"
        assert "the server cut the prompt at 400 tokens; raise its context window (num_ctx in Ollama" in failure.reason
    assert calls == 2
    # The size of a prompt is not learned from what the server read of it.
    assert reserved > call.text.size * 0.2
