"""One reply, in all the forms in which models and servers send it."""

import asyncio
import gzip
import json
import random
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from citewell_verify.text.thoughts import LiveReply, reply_text
from clients.llm.calling.request import read_stream
from clients.llm.completions.providers import CompatibleModel
from clients.llm.protocol import ModelError, ModelRefused, ModelReply, ModelReplyInvalid, ModelUnavailable, Usage
from tests.clients.llm.reply_forms import CLEANED, CUT_OFF, KEPT, NO_ANSWER, THOUGHT
from tests.clients.llm.test_lean import CHECK, COMPOSE
from tests.simulators.quirky import USAGE, QuirkyServer, chunk, completion, events
from verify_material.rows import for_all_rows

REPLIES = (
    "Returns must be made within 30 days[†1].\n\n- a < b",
    '{"score": 0.9, "why": "a </b>"}',
    "환불은 30일 이내[†1].",
)
OK = "Returns within 30 days[†1]."
END = (chunk("", "stop"), chunk({}, usage=USAGE), "[DONE]")
PARTS = ("Returns ", "within 30 d", "ays[†1].")
PLAIN = (*map(chunk, PARTS), *END)


@dataclass
class Scene:
    """A server and a client of it; `drafts` are what a live draft showed of the last stream."""

    server: QuirkyServer
    model: CompatibleModel
    drafts: list[str] = field(default_factory=list)

    async def complete(self) -> ModelReply | ModelError:
        try:
            return await self.model.complete(CHECK)
        except ModelError as error:
            return error

    async def stream(self) -> ModelReply | ModelError:
        self.drafts = []
        try:
            return await read_stream(self.model, COMPOSE, self.drafts.append)
        except ModelError as error:
            return error


@asynccontextmanager
async def scene() -> AsyncGenerator[Scene]:
    async with QuirkyServer() as server:
        model = CompatibleModel("", server.url, catalogue={})
        try:
            yield Scene(server, model)
        finally:
            await model.aclose()


def play(act: Callable[[Scene], Awaitable[None]]) -> None:
    async def whole() -> None:
        async with scene() as stage:
            await act(stage)

    asyncio.run(whole())


def text_of(outcome: ModelReply | ModelError) -> str:
    assert isinstance(outcome, ModelReply), outcome
    return outcome.text


def filled(form: str, reply: str) -> str:
    return form.replace("{thought}", THOUGHT).replace("{reply}", reply)


def cuts(text: str) -> Iterator[list[str]]:
    """Each division into two pieces, single characters, and some at random."""
    yield from ([text[:at], text[at:]] for at in range(1, len(text)))
    yield list(text)
    chance = random.Random(len(text))
    for _ in range(5):
        places = sorted(chance.sample(range(1, len(text)), min(6, len(text) - 1)))
        yield [text[at:end] for at, end in zip([0, *places], [*places, len(text)], strict=True)]


def drafts(pieces: list[str], *, waits: bool = False) -> list[str]:
    live, whole = LiveReply(waits=waits), ""
    shown: list[str] = []
    for piece in pieces:
        whole += piece
        if (text := live.see(whole)) is not None:
            shown.append(text)
    return shown


@for_all_rows("form", [*CUT_OFF, *CLEANED])
def test_a_reply_is_the_same_in_every_form_and_no_draft_shows_more(form: str) -> None:
    begins_without_sign = "alone" in form or "middle" in form
    for reply in REPLIES:
        written = filled((CUT_OFF | CLEANED)[form], reply)
        assert reply_text(written) == reply
        for pieces in cuts(written):
            for shown in drafts(pieces, waits=begins_without_sign):
                assert reply.startswith(shown), pieces


@for_all_rows("text", KEPT)
def test_a_reply_that_only_writes_about_signs_stays_as_it_is_and_is_shown_as_it_grows(text: str) -> None:
    assert reply_text(text) == text
    for pieces in cuts(text + " And this is the end of it, really."):
        assert all((text + " And this is the end of it, really.").startswith(shown) for shown in drafts(pieces))


def test_a_draft_of_a_plain_reply_is_never_late() -> None:
    for shown, at in zip(drafts(list("Returns must be made.")), range(1, 99), strict=False):
        assert shown == "Returns must be made."[: len(shown)]
        assert at - len(shown) <= 1


@for_all_rows("text", NO_ANSWER)
def test_a_thought_without_an_end_is_no_answer(text: str) -> None:
    async def act(stage: Scene) -> None:
        stage.server.answers(completion(text))
        whole = await stage.complete()
        stage.server.answers(events(*map(chunk, text), *END), kind="text/event-stream")
        streamed = await stage.stream()
        for outcome in (whole, streamed):
            assert isinstance(outcome, ModelReplyInvalid)
            assert "a thought without an end" in str(outcome)
            assert outcome.text is None
        assert stage.drafts == []

    play(act)


def test_every_form_is_read_over_http() -> None:
    async def act(stage: Scene) -> None:
        for form in [*CUT_OFF.values(), *CLEANED.values()]:
            written = filled(form, OK)
            stage.server.answers(completion(written))
            assert text_of(await stage.complete()) == OK
            stage.server.answers(
                events(*(chunk(written[at : at + 5]) for at in range(0, len(written), 5)), *END),
                kind="text/event-stream",
            )
            assert text_of(await stage.stream()) == OK
            assert stage.drafts[-1] == OK

    play(act)


def test_a_draft_of_thoughts_without_an_opening_sign_starts_again_and_the_next_one_waits() -> None:
    written = f"{THOUGHT}\n</think>\n\n{OK}"

    async def act(stage: Scene) -> None:
        stage.server.answers(events(*map(chunk, written), *END), kind="text/event-stream")
        assert text_of(await stage.stream()) == stage.drafts[-1] == OK
        assert not OK.startswith(stage.drafts[0])
        assert text_of(await stage.stream()) == OK
        assert stage.drafts
        assert all(OK.startswith(shown) for shown in stage.drafts)

    async def judged_before(stage: Scene) -> None:
        stage.server.answers(completion(written))
        assert text_of(await stage.complete()) == OK
        stage.server.answers(events(*map(chunk, written), *END), kind="text/event-stream")
        assert text_of(await stage.stream()) == OK
        assert all(OK.startswith(shown) for shown in stage.drafts)

    play(act)
    play(judged_before)


WHOLE = {
    "a part": completion([{"type": "text", "text": OK}]),
    "a thinking part": completion(
        [{"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]}, {"type": "text", "text": OK}]
    ),
    "a reasoning part": completion([{"type": "reasoning", "text": THOUGHT}, {"type": "output_text", "text": OK}]),
    "a thought of Gemini": completion([{"text": THOUGHT, "thought": True}, {"text": OK}]),
    "reasoning beside it": completion(OK, reasoning_content=THOUGHT, reasoning=THOUGHT),
    "a tool call": completion(None, "tool_calls", tool_calls=[{"function": {"name": "f", "arguments": OK}}]),
    "no usage": completion(OK, usage=None),
    "a BOM and blanks": b"\xef\xbb\xbf\n\n  " + completion(OK),
    "printed on many lines": json.dumps(json.loads(completion(OK)), indent=2).encode(),
    "gzip": gzip.compress(completion(OK)),
    "events unasked": events(*PLAIN),
    "another choice before it": json.dumps(
        {"choices": [{"index": at, "message": {"content": OK[at * 9 :]}, "finish_reason": "stop"} for at in (1, 0)]}
    ).encode(),
}


def test_every_form_of_a_whole_answer_is_read() -> None:
    async def act(stage: Scene) -> None:
        for name, body in WHOLE.items():
            stage.server.answers(body)
            assert text_of(await stage.complete()) == OK, name
            if name != "a tool call":
                assert text_of(await stage.stream()) == OK, name
        stage.server.answers(zlib.compress(completion(OK)), content_encoding="deflate")
        assert text_of(await stage.complete()) == OK

    play(act)


@for_all_rows(
    "reason",
    ["stop", "STOP", "eos", "eos_token", "end_turn", "COMPLETE", "stop_sequence", "tool_calls", "", None, "new"],
)
def test_a_reply_is_complete_unless_its_end_says_otherwise(reason: str | None) -> None:
    async def act(stage: Scene) -> None:
        stage.server.answers(completion(OK, reason))
        assert text_of(await stage.complete()) == OK
        stage.server.answers(events(*map(chunk, PARTS), chunk("", reason), "[DONE]"), kind="text/event-stream")
        outcome = await stage.stream()
        assert text_of(outcome) == OK
        assert isinstance(outcome, ModelReply)
        assert outcome.usage == Usage(outcome.usage.prompt_tokens, 8, estimated=True)

    play(act)


@for_all_rows(
    ("reason", "kind", "said"),
    [
        ("length", ModelReplyInvalid, "the server ended it after 2 of 600 tokens"),
        ("MAX_TOKENS", ModelReplyInvalid, "after 2 of 600"),
        ("model_context_window_exceeded", ModelReplyInvalid, "check its own limits"),
        ("content_filter", ModelRefused, "the server's filter stopped the reply (content_filter)"),
        ("SAFETY", ModelRefused, "the server's filter"),
        ("RECITATION", ModelRefused, "the server's filter"),
        ("refusal", ModelRefused, "the server's filter"),
        ("error", ModelUnavailable, "the server stopped the reply (error)"),
    ],
)
def test_an_end_that_is_none_is_told_in_its_own_words(reason: str, kind: type[ModelError], said: str) -> None:
    async def act(stage: Scene) -> None:
        stage.server.answers(completion(OK, reason))
        whole = await stage.complete()
        stage.server.answers(events(*map(chunk, PARTS), chunk("", reason, usage=USAGE), "[DONE]"))
        for outcome in (whole, await stage.stream()):
            assert type(outcome) is kind
            assert said in str(outcome)

    play(act)


NOT_ONE = {
    "a refusal": (completion(None, refusal="I cannot help."), ModelRefused, "the model refused: I cannot help."),
    "reasoning alone": (completion("", reasoning_content=THOUGHT), ModelReplyInvalid, "reasoning_effort"),
    "a page": (b"\n<!doctype html><html></html>", ModelReplyInvalid, "a web page; check models.base_url"),
    "a text": (b"Not found", ModelReplyInvalid, "not JSON"),
    "a bomb": (gzip.compress(b" " * 50_000_000), ModelReplyInvalid, "more than was asked for"),
    "a passing error": (b'{"error": {"message": "no host", "code": 502}}', ModelUnavailable, "no host"),
    "a lasting error": (b'{"error": {"message": "no credit", "code": "402"}}', ModelRefused, "no credit"),
    "an error of a kind": (
        b'{"error": {"message": "bad key", "type": "authentication_error"}}',
        ModelRefused,
        "bad key",
    ),
    "an error of words": (b'{"error": "no such endpoint"}', ModelReplyInvalid, "no such endpoint"),
    "an error at the top": (b'{"message": "overloaded", "type": "server_error"}', ModelUnavailable, "overloaded"),
    "errors in a list": (b'[{"error": {"code": 400, "message": "no field"}}]', ModelRefused, "no field"),
    "no choices, and words": (
        b'{"choices": null, "base_resp": {"status_code": 1004, "status_msg": "no such key"}}',
        ModelReplyInvalid,
        "no such key",
    ),
    "no choices, and no money": (
        b'{"choices": null, "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}',
        ModelReplyInvalid,
        "insufficient balance",
    ),
    "only loaded": (completion("", "load"), ModelReplyInvalid, "the reply is empty (load)"),
    "a detail": (b'{"detail": [{"msg": "no field"}]}', ModelReplyInvalid, "no field"),
}


@for_all_rows("name", NOT_ONE)
def test_an_answer_that_is_no_reply_says_why(name: str) -> None:
    body, kind, said = NOT_ONE[name]

    async def act(stage: Scene) -> None:
        stage.server.answers(body, kind="text/html")
        for outcome in (await stage.complete(), await stage.stream()):
            assert type(outcome) is kind
            assert said in str(outcome)

    play(act)


def test_an_object_that_is_all_of_the_thoughts_is_the_judgement_and_never_the_answer() -> None:
    judged = '{"score": 0.9}'

    async def act(stage: Scene) -> None:
        stage.server.answers(completion("", reasoning_content=judged))
        assert text_of(await stage.complete()) == judged
        assert type(await stage.stream()) is ModelReplyInvalid
        for thought in (f"Perhaps {judged}", f"[{judged}]", judged[:-1]):
            stage.server.answers(completion("", reasoning_content=thought))
            assert type(await stage.complete()) is ModelReplyInvalid

    play(act)


STREAMS = {
    "CR": events(*PLAIN, end="\r"),
    "CRLF": events(*PLAIN, end="\r\n"),
    "no blank lines": "".join(f"data: {data}\n" for data in PLAIN).encode(),
    "no line ends": "".join(f"data: {data}" for data in PLAIN).encode(),
    "no space": events(*PLAIN).replace(b"data: ", b"data:"),
    "comments, names, pings": b": hi\n\nevent: message\nid: 1\nretry: 9\n"
    + events("ping", *PLAIN[:3], "ping", *PLAIN[3:]),
    "lines of JSON": "\n".join(PLAIN).encode(),
    "no end": events(*PLAIN[:-1]),
    "no finish reason": events(*PLAIN[:3], "[DONE]"),
    "no usage": events(*PLAIN[:4]),
    "an event on two lines": events(*PLAIN).replace(b'"delta"', b'\ndata: "delta"'),
    "parts": events(*(chunk({"content": [{"type": "text", "text": part}]}) for part in PARTS), *END),
    "reasoning": events(chunk({"reasoning_content": THOUGHT, "content": None}), *PLAIN),
    "reasoning as parts": events(chunk({"content": [{"type": "thinking", "thinking": [{"text": THOUGHT}]}]}), *PLAIN),
    "the whole text each time": events(
        *(
            json.dumps({"choices": [{"message": {"content": "".join(PARTS[:count])}, "finish_reason": None}]})
            for count in (1, 2, 3)
        ),
        *END,
    ),
    "the whole text in each delta": events(*(chunk(OK[:count]) for count in range(1, len(OK) + 1)), *END),
    "the message once more": events(
        *PLAIN[:3], json.dumps({"choices": [{"message": {"content": OK}, "finish_reason": "stop"}]}), "[DONE]"
    ),
    "null everywhere": events('{"choices": null}', '{"choices": []}', '{"choices": [{"delta": null}]}', *PLAIN),
    "another choice beside it": events(
        *(
            json.dumps({"choices": [{"index": at, "delta": {"content": part}, "finish_reason": None}]})
            for part in PARTS
            for at in (0, 1)
        ),
        *END,
    ),
    "a BOM": b"\xef\xbb\xbf" + events(*PLAIN),
    "gzip": gzip.compress(events(*PLAIN)),
    "one document": completion(OK),
}


@for_all_rows("name", STREAMS)
def test_every_form_of_a_stream_is_read(name: str) -> None:
    sent = STREAMS[name]

    async def act(stage: Scene) -> None:
        for kind in ("text/event-stream", "Text/Plain", "application/x-ndjson", None):
            stage.server.answers(sent, kind=kind)
            assert text_of(await stage.stream()) == OK
        for size in (1, 7):
            stage.server.answers(*(sent[at : at + size] for at in range(0, len(sent), size)))
            assert text_of(await stage.stream()) == OK
            assert stage.drafts[-1] == OK

    play(act)


@pytest.mark.parametrize(
    "told",
    [
        b"event: error\ndata: no memory\n\n",
        b'event: error\ndata: {"message": "no memory", "type": "server_error"}\n\n',
        events('{"error": "no memory"}'),
        events(
            '{"choices": [{"delta": {}, "finish_reason": "error", "error": {"message": "no memory", "code": 502}}]}'
        ),
    ],
)
def test_an_error_in_a_stream_is_told_in_the_servers_words(told: bytes) -> None:
    async def act(stage: Scene) -> None:
        stage.server.answers(events(*PLAIN[:2]), told)
        outcome = await stage.stream()
        assert isinstance(outcome, ModelUnavailable)
        assert "no memory" in str(outcome)

    play(act)


def test_a_connection_that_breaks_after_the_finish_reason_costs_nothing_but_the_usage() -> None:
    async def act(stage: Scene) -> None:
        stage.server.answers(events(*PLAIN[:4]), cut=True)
        outcome = await stage.stream()
        assert text_of(outcome) == OK
        assert isinstance(outcome, ModelReply)
        assert outcome.usage.estimated
        stage.server.answers(events(*PLAIN[:2]), cut=True)
        assert isinstance(await stage.stream(), ModelUnavailable)

    play(act)
