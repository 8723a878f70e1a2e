"""The endpoints of the seeds: thin adapters over an ordinary query, for programs written for the seeds."""

from typing import Any
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from fastapi.concurrency import run_in_threadpool

from api.adapters import questions, seeds
from api.answers.one_request import answered
from api.http.capacity import ROOM_FOR_A_QUESTION
from api.http.uploads import require_json
from api.schemas.formats.citations import CitationVerdict, CitationVerify
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
from config.settings import settings
from services.external.citation_verification import verify_citation
from services.queries import results

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
