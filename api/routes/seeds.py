"""The endpoints of the seeds: thin adapters over an ordinary query, for programs written for the seeds."""

import time
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT

from api.adapters import questions, seeds
from api.adapters.seeds import streamed_answer
from api.answers.one_request import answered, location_of, start_query, succeeded
from api.answers.waiting import follow, read_after_wait
from api.http.accepted_requests import require_json
from api.http.capacity import ROOM_FOR_A_QUESTION
from api.http.errors import Unanswered
from api.http.sse import HEADERS, MEDIA_TYPE, data_event, described
from api.schemas.formats.citations import CitationVerdict, CitationVerify, FinalEvent, StreamAsk
from api.schemas.formats.seeds import (
    AgentAnswer,
    AgentAsk,
    ChatAsk,
    ChatReply,
    RagAnswer,
    RagAsk,
    VerifiedAnswer,
    VerifiedAsk,
)
from api.schemas.problem import Problem
from citewell_verify.errors import CitewellError
from config.settings import settings
from db.queries.runs.events import DRAFT
from services.external.citation_verification import verify_citation
from services.generation.answer import common_prefix_length
from services.queries import results
from services.queries.results import read_query

_HEADERS: dict[str, Any] = {
    "Location": {
        "description": "The question at `/v1/queries/{id}`, with its whole history.",
        "schema": {"type": "string"},
    }
}
_ENDS: dict[int | str, dict[str, Any]] = {
    200: {"headers": _HEADERS},
    502: {"model": Problem, "description": "The query failed; `code` says how.", "headers": _HEADERS},
    504: {"model": Problem, "description": "Not finished in time; poll `Location`.", "headers": _HEADERS},
}

router = APIRouter(tags=["seeds"], dependencies=[Depends(require_json), ROOM_FOR_A_QUESTION], responses=_ENDS)
# This route asks no question, so it needs no capacity and nothing waits for it.
citations_router = APIRouter(tags=["seeds"])


@router.post("/query", name="seed_query", response_model=RagAnswer, response_model_exclude_unset=True)
async def query(asked: RagAsk, request: Request, response: Response) -> object:
    """S1: the answer, its sources and the weighted verification."""
    return seeds.rag_answer(await answered(request, response, questions.of_rag(asked)))


@router.post("/chat", name="seed_chat", response_model=ChatReply, response_model_exclude_unset=True)
async def chat(asked: ChatAsk, request: Request, response: Response) -> object:
    """S2: a reply with its confidence; a reply with low confidence is corrected."""
    return seeds.chat_reply(await answered(request, response, questions.of_chat(asked)))


@router.post("/agent/chat", name="seed_agent_chat", response_model=AgentAnswer)
async def agent_chat(asked: AgentAsk, request: Request, response: Response) -> object:
    """S3: an answer and the passages that it was written from."""
    return seeds.agent_answer(await answered(request, response, questions.of_agent(asked)))


@router.post("/agentic/chat", name="seed_agentic_chat", response_model=AgentAnswer)
async def agentic_chat(asked: AgentAsk, request: Request, response: Response) -> object:
    """S3: an answer for which the model decides which searches to make; `Location` leads to the question."""
    return seeds.researched_answer(await answered(request, response, questions.of_agent(asked, "agentic")))


@router.post("/multiagent/chat", name="seed_multiagent_chat", response_model=AgentAnswer)
async def multiagent_chat(asked: AgentAsk, request: Request, response: Response) -> object:
    """S3: one agent searches and takes notes with quotes, another writes from its sources and notes."""
    return seeds.researched_answer(await answered(request, response, questions.of_agent(asked, "multiagent")))


@router.post("/query/verified", name="seed_query_verified", response_model=VerifiedAnswer)
async def query_verified(asked: VerifiedAsk, request: Request, response: Response) -> object:
    """S5: the answer before and after its citations were checked, and the log of the checks."""
    ended = await answered(request, response, questions.of_verified(asked))
    checks = await run_in_threadpool(results.read_citation_checks, UUID(ended["id"]))
    return seeds.verified_answer(ended, checks, asked.mode)


@citations_router.post(
    "/api/verify-citation",
    name="seed_verify_citation",
    response_model=CitationVerdict,
    dependencies=[Depends(require_json)],
)
def verify(sent: CitationVerify) -> object:
    """S4: whether a chunk supports the claim that cites it. No model is asked, so equal requests have equal
    verdicts."""
    return verify_citation(
        sent.document_id, sent.chunk_index, sent.claim_text, sent.expected_text_span, settings().verification
    )


_EVENTS = """data: {"type": "stream", "data": "Returns must be made "}

data: {"type": "stream", "data": "within 30 days."}

data: {"type": "final", "data": "Returns must be made within 30 days. [1]", "sources": [], "citations": []}

"""
_LOCATION: dict[str, Any] = {
    "Location": {"description": "The question at `/v1/queries/{id}`.", "schema": {"type": "string"}}
}
_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {**described("`stream` events, then one `final` or one `error`.", _EVENTS), "headers": _LOCATION}
}

stream_router = APIRouter(tags=["seeds"], dependencies=[Depends(require_json), ROOM_FOR_A_QUESTION])


@stream_router.post("/api/query", name="seed_api_query", response_class=StreamingResponse, responses=_RESPONSES)
async def stream_query(asked: StreamAsk, response: Response) -> Response:
    """S4: server-sent events: the draft while it is written, then the checked answer with its sources and citations.

    The streamed draft is not checked yet; the `data` of the `final` event is. A question that fails ends with
    `{"type": "error", "data": "why"}`. A question whose client disconnects continues, and `Location` will have its
    answer.
    """
    query_id = await run_in_threadpool(start_query, questions.of_stream(asked))
    headers = {**response.headers, **HEADERS, "Location": location_of(query_id)}
    return StreamingResponse(seed_events(query_id), media_type=MEDIA_TYPE, headers=headers)


class SentDraft:
    """The draft as a client has received it. Text cannot be taken back, so only additions are sent."""

    def __init__(self) -> None:
        self._draft = ""
        self._sent = ""

    def news(self, start: int, text: str) -> str:
        """Apply the event that the draft is now `draft[:start] + text`, and return the text to send, possibly none.

        The part of a restarted draft that is the same as before is not repeated.
        """
        self._draft = self._draft[:start] + text
        common = common_prefix_length(self._sent, self._draft)
        if common == len(self._draft):
            return ""
        self._sent = self._draft
        return self._draft[common:]


async def seed_events(query_id: UUID) -> AsyncIterator[bytes]:
    sent, spoke = False, time.monotonic()
    try:
        async for piece in _pieces(query_id):
            if piece:
                sent = True
                yield data_event({"type": "stream", "data": piece})
            elif time.monotonic() - spoke >= settings().stream.heartbeat_s:
                yield KEEPALIVE_COMMENT
            else:
                continue
            spoke = time.monotonic()
        query = succeeded(await read_after_wait(read_query, query_id))
    except (Unanswered, CitewellError) as error:
        yield data_event({"type": "error", "data": str(error)})
        return
    if not sent:
        # No draft is written when the documents have no answer; a client of the seed shows only streamed text.
        yield data_event({"type": "stream", "data": query["answer"]})
    yield data_event(FinalEvent.model_validate(streamed_answer(query)).model_dump(mode="json"))


async def _pieces(query_id: UUID) -> AsyncIterator[str]:
    draft = SentDraft()
    async for events in follow(query_id, 0):
        news = [draft.news(event.data["start"], event.data["text"]) for event in events if event.type == DRAFT]
        yield "".join(news)
