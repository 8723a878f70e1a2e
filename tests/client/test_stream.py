"""The events of a question over connections that break anywhere: none is lost, none arrives twice."""

import asyncio
import json
import random
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_client import ApiProblem, AsyncCitewellClient, CitewellClient, ServerUnreachable
from citewell_client._sse import EventDecoder, ServerSentEvent
from tests.client.cutting import Reply, chunked, cutting, plain, until_closed
from tests.client.halves import Half

CUTS = 30
# More than the connections that are cut can bring.
DRAFTS = [f"Wort {number} – 한국어 😀. " for number in range(120)]
HEAD = len(chunked([]))


def event(number: int | None, kind: str, data: object) -> bytes:
    last = [] if number is None else [f"id: {number}"]
    return "\n".join([f"event: {kind}", f"data: {json.dumps(data, ensure_ascii=False)}", *last, "", ""]).encode()


def story() -> list[tuple[int, bytes]]:
    """The events of a question: growing drafts, an event unknown to this client, the end."""
    told: list[tuple[str, object]] = [("stage", {"stage": "generate"})]
    start = 0
    for text in DRAFTS:
        told.append(("draft", {"start": start, "text": text}))
        start += len(text)
    told += [("telemetry", {"new": [1]}), ("final", {"query": {"id": "q", "answer": "".join(DRAFTS)}})]
    return [(number, event(number, kind, data)) for number, (kind, data) in enumerate(told, start=1)]


def after(head: str) -> int:
    """The event number from which the request resumes."""
    return int(head.partition("last-event-id: ")[2].partition("\r\n")[0] or 0)


class Cutter:
    """Cuts the first 30 connections at random places, some in the head of the response, one with a reset."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.connections = 0

    def __call__(self, head: str) -> Reply:
        self.connections += 1
        body = b"retry: 1\n\n" + b": heartbeat\n\n".join(told for number, told in story() if number > after(head))
        whole = self._framed(body)
        if self.connections > CUTS:
            return Reply(whole)
        inside = self.random.randrange(HEAD) if self.connections in (5, 17) else HEAD + self.random.randrange(1, 300)
        return Reply(whole[:inside], reset=self.connections == 11)

    def _framed(self, body: bytes) -> bytes:
        if self.random.random() < 0.5:
            return until_closed(body)
        places = sorted(self.random.sample(range(1, len(body)), 40))
        return chunked(body[start:end] for start, end in zip([0, *places], [*places, len(body)], strict=True))


# N9
@pytest.mark.parametrize("seed", [1, 2])
def test_thirty_cuts_leave_no_gap_and_no_duplicate(half: Half, seed: int) -> None:
    with cutting(reply=Cutter(seed)) as server:
        found = half(server.url, lambda client: client.events("q"))
    assert len(server.heads) == CUTS + 1
    assert [one["id"] for one in found] == [number for number, _ in story()]
    draft = ""
    for one in found:
        if one["type"] == "draft":
            draft = draft[: one["data"]["start"]] + one["data"]["text"]
    assert found[-1]["data"]["query"]["answer"] == draft
    assert found[-2] == {"id": len(DRAFTS) + 2, "type": "telemetry", "data": {"new": [1]}}


def ended(*events: bytes) -> Reply:
    return Reply(until_closed(b"".join(events)))


FINAL = event(9, "final", {"query": {}})


# N9
@pytest.mark.parametrize("kind", ["final", "failed", "cancelled"])
def test_a_stream_ends_with_its_end(half: Half, kind: str) -> None:
    with cutting(ended(event(1, kind, {}), event(2, "stage", {"stage": "late"}))) as server:
        found = half(server.url, lambda client: client.events("q"))
    assert [one["type"] for one in found] == [kind]
    assert server.heads[0].startswith("get /v1/queries/q/events ")
    assert server.sent("accept") == ["text/event-stream"]
    assert server.sent("last-event-id") == [None]


# N9
def test_a_stream_begins_where_it_is_told(half: Half) -> None:
    again = event(4, "stage", {"stage": "seen"})
    with cutting(ended(b"retry: 1\n\n", again, event(5, "stage", {"stage": "new"})), ended(again, FINAL)) as server:
        found = half(server.url, lambda client: client.events("q", last_event_id=4))
    assert [one["id"] for one in found] == [5, 9]
    assert server.sent("last-event-id") == ["4", "5"]


def test_events_without_a_number_pass(half: Half) -> None:
    with cutting(ended(event(None, "notice", {"a": 1}), b": alive\n\n", FINAL)) as server:
        found = half(server.url, lambda client: client.events("q", last_event_id=4))
    assert [(one["id"], one["type"]) for one in found] == [(None, "notice"), (9, "final")]


def test_nothing_more_to_come_is_the_end(half: Half) -> None:
    with cutting(Reply(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")) as server:
        assert half(server.url, lambda client: client.events("q", last_event_id=9)) == []


# N9
def test_a_busy_server_is_asked_again_and_a_refusal_is_final(half: Half) -> None:
    busy = Reply(plain('{"code": "busy", "detail": "busy"}', "503 Busy", more="retry-after: 0\r\n"))
    gone = Reply(plain('{"code": "query_not_found", "detail": "gone"}', "404 Not Found"))
    with cutting(busy, busy, ended(FINAL)) as server:
        assert len(half(server.url, lambda client: client.events("q"))) == 1
    for refusal, tries in ((busy, 3), (gone, 1)):
        with cutting(refusal) as server, pytest.raises(ApiProblem):
            half(server.url, lambda client: client.events("q"))
        assert len(server.heads) == tries


# N9
def test_a_server_that_only_closes_is_given_up(half: Half) -> None:
    with cutting(ended()) as server, pytest.raises(ServerUnreachable, match="without the last one"):
        half(server.url, lambda client: client.events("q"))
    assert len(server.heads) == 3


@pytest.mark.parametrize(
    "reply",
    [
        Reply(plain("{}")),
        Reply(plain("<html>", kind="text/html")),
        ended(b"data: no json\n\n"),
        ended(b"data: [1]\n\n"),
        ended(b"id: x\ndata: {}\n\n"),
    ],
    ids=["json", "page", "text", "list", "number"],
)
def test_what_is_no_stream_of_events_is_told_apart(half: Half, reply: Reply) -> None:
    with cutting(reply) as server, pytest.raises(ApiProblem) as caught:
        half(server.url, lambda client: client.events("q"))
    assert caught.value.code == "not_citewell"
    assert len(server.heads) == 1


def passed(number: int, kind: str, sentence: int, **more: object) -> bytes:
    return event(number, kind, {"round": 0, "sentence": sentence, "text": f"Sentence {sentence}.", **more})


# N1, N9
def test_an_answer_is_read_sentence_by_sentence_as_each_passes(half: Half) -> None:
    accepted = Reply(plain('{"id": "q", "status": "queued"}', "202 Accepted"))
    told = [
        event(1, "draft", {"start": 0, "text": "Sentence 0. Wrong. Sentence 2."}),
        passed(2, "sentence.verified", 2, citations=[{"citation_number": 1, "evidence": "Sentence 2."}]),
        event(3, "sentence.failed", {"round": 0, "sentence": 1, "text": "Wrong."}),
        passed(4, "sentence.repaired", 1, how="rewritten", statement="Wrong.", reason="as the source says"),
        passed(5, "sentence.verified", 0, citations=[]),
        event(6, "final", {"query": {"id": "q", "status": "succeeded"}}),
    ]
    with cutting(accepted, ended(*told[:3]), ended(*told[3:])) as server:
        found, stream = half(server.url, read_to_the_end)
    assert [(one["sentence"], one["text"]) for one in found] == [(n, f"Sentence {n}.") for n in (2, 1, 0)]
    assert [one.get("how") for one in found] == [None, "rewritten", None]
    assert (stream.id, stream.query) == ("q", {"id": "q", "status": "succeeded"})
    assert server.heads[0].startswith("post /v1/queries ")
    assert server.sent("last-event-id") == [None, None, "3"]


def read_to_the_end(client: Any) -> Any:
    if isinstance(client, CitewellClient):
        stream = client.stream("Why?", workspace="w")
        return list(stream), stream

    async def read() -> Any:
        stream = await client.stream("Why?", workspace="w")
        return [sentence async for sentence in stream], stream

    return read()


LINES = st.lists(st.sampled_from(["data: a", "data:b", "data", "event: e", "id: 7", ": note", "retry: 20", "x: y", ""]))


# N9
@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.randoms())
def test_events_are_the_same_however_their_bytes_arrive(lines: list[str], end: str, random: random.Random) -> None:
    told = (end.join([*lines, "data: – 한국어 😀\u2028", "", ""]) + ":").encode()
    whole = list(EventDecoder().take(told))
    cuts = sorted(random.choices(range(len(told) + 1), k=5))
    decoder = EventDecoder()
    pieces = [told[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(told)], strict=True)]
    assert [found for piece in pieces for found in decoder.take(piece)] == whole
    assert whole[-1].data.endswith("– 한국어 😀\u2028")
    assert len(whole) == lines.count("") + 1


def test_a_field_of_an_event_counts_until_its_empty_line() -> None:
    told = b"\xef\xbb\xbfid: 1\nevent: a\ndata: x\ndata: y\n\ndata:z\n\nid: \0\nretry: soon\n\ndata: cut"
    found = list(EventDecoder().take(told))
    assert found == [
        ServerSentEvent("a", "x\ny", "1"),
        ServerSentEvent("", "z", "1"),
        ServerSentEvent("", "", "1"),
    ]


def test_who_stops_reading_leaves_nothing_open() -> None:
    def first(stream: Any) -> Any:
        for one in stream:
            return one
        return None

    async def first_of(url: str) -> Any:
        async with AsyncCitewellClient(url) as client, aclosing(client.events("q")) as stream:
            return await anext(stream)

    with cutting(ended(event(1, "stage", {"stage": "a"}), FINAL)) as server:
        with CitewellClient(server.url) as client:
            assert first(client.events("q"))["id"] == 1
        assert asyncio.run(first_of(server.url))["id"] == 1
