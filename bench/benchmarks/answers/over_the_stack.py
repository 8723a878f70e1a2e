"""Asks the same questions end to end, over the API of a stack that was started as `citewell up` does."""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.answers.judged_answers import Card, Question, Reply
from citewell_client import CitewellClient
from tests.e2e.stack import running_stack

_WITHIN_S = 120.0


@contextmanager
def running_client() -> Generator[CitewellClient]:
    with running_stack() as stack, CitewellClient(stack.supervisor.url) as client:
        yield client


def add_files(client: CitewellClient, files: Sequence[Path], workspace: str) -> None:
    for file in files:
        client.upload(file, workspace=workspace, wait=True)


def ask(client: CitewellClient, workspace: str, question: Question) -> Reply:
    began = time.perf_counter()
    if question.after:
        conversation = client.conversations.create(workspace=workspace)["id"]
        client.conversations.ask(conversation, question.after, wait=_WITHIN_S)
        began = time.perf_counter()
        answer: Any = client.conversations.ask(conversation, question.text, wait=_WITHIN_S)
    else:
        answer = client.ask(question.text, workspace=workspace, wait=_WITHIN_S)
    return reply_of(answer, time.perf_counter() - began)


def reply_of(answer: Any, seconds: float) -> Reply:
    is_refusal = answer["abstained"] or answer["error"] is not None
    texts = {source["chunk_id"]: f"{source['section'] or ''}\n{source['text']}" for source in answer["sources"]}
    cards = tuple(
        Card(card.get("document") or card["document_name"], texts.get(card["chunk_id"], ""), card[quote])
        for card, quote in [
            *(({citation["number"]: (citation, "text_span") for citation in reversed(answer["citations"])}).values()),
            *((mention, "quote") for mention in answer["mentions"]),
        ]
    )
    if is_refusal:
        return Reply(None, False, cards, str(answer["abstain_reason"] or answer["error"]), seconds)
    return Reply(answer["answer"], _is_green(answer), cards, seconds=seconds)


def _is_green(answer: Any) -> bool:
    if signal := answer.get("signal"):
        return signal["level"] == "green"
    judged = answer["verification"]["question"]
    statuses = {sentence["status"] for sentence in answer["verification"]["sentences"]}
    return (not judged or judged["relevant"] == "yes") and statuses <= {"supported", "no_claim"}
