"""The offline model behind the ChatModel Protocol: one function per prompt, answered from the prompt's fields."""

import asyncio
from collections.abc import AsyncIterator, Callable

from citewell_verify.embeddings.protocol import Encoder
from citewell_verify.judging import model as rules
from citewell_verify.offline.judge import Fields, OfflineJudge, sources_of, text_of
from citewell_verify.prompting.batched_items import Chunks, items_of
from citewell_verify.prompting.judgements import ItemRelevance, Relevance, Relevances, Reply, TargetedQueries
from citewell_verify.prompting.prompts import render
from clients.llm.offline.answering import compose_answer, extract_citations, take_notes
from clients.llm.offline.passage_relevance import chunk_relevance
from clients.llm.offline.searching import decide_search, restate_question, rewrite_question
from clients.llm.protocol import ModelRefused, ModelReply, ModelRequest, NotJudged, StreamPart, Usage
from domain.documents.graph_extraction import read_graph, read_keywords


def plan_queries(claims: str, count: int) -> TargetedQueries:
    """S2.3: search for the claims themselves, one per line."""
    lines = [line.strip().removeprefix("- ").strip() for line in claims.splitlines()]
    return TargetedQueries(queries=[line for line in lines if line][:count])


PROVIDER = "offline"


class OfflineModel:
    """Answers with sentences of the sources and judges by computation; free, deterministic, without a network.

    Without an embedder it uses words alone, which is a little worse. Safe from several threads and event loops; the
    work runs in a thread, so that no loop is blocked.
    """

    provider = PROVIDER

    def __init__(self, embedder: Encoder | None = None) -> None:
        judge = OfflineJudge(embedder)
        self._meaning = judge.meaning
        self._judgements: dict[str, Callable[[Fields], Reply]] = {
            **judge.judgements,
            "rerank_chunk": self._rerank_chunk,
            "rerank_chunks": self._rerank_chunks,
            "extract_citations": self._extract_citations,
            "plan_queries": self._plan_queries,
            "restate_question": self._restate_question,
            "rewrite_question": self._rewrite_question,
            "decide_search": self._decide_search,
            "research_notes": self._research_notes,
            "extract_graph": lambda fields: read_graph(text_of(fields, "chunk")),
            "extract_keywords": lambda fields: read_keywords(text_of(fields, "question")),
        }

    def reserves(self, request: ModelRequest) -> int:
        # Calls are free.
        del request
        return 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply: JSON of the judgement's schema, or prose. Raises ModelRefused, PromptFieldMismatch."""
        pieces = await asyncio.to_thread(self._pieces, request)
        return _reply("".join(pieces))

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        """Yield the prose sentence by sentence, then the reply. Raises ModelRefused, PromptFieldMismatch."""
        pieces = await asyncio.to_thread(self._pieces, request)
        for piece in pieces:
            yield StreamPart(text=piece)
        yield StreamPart(reply=_reply("".join(pieces)))

    async def aclose(self) -> None: ...
    def _pieces(self, request: ModelRequest) -> list[str]:
        if request.prompt in ("generate_answer", "regenerate_answer", "synthesize_answer"):
            return self._generate_answer(_checked(request))
        judgement = self._judgements.get(request.prompt)
        if judgement is None:
            raise ModelRefused(f"the offline model cannot answer the prompt {request.prompt!r}")
        try:
            return [judgement(_checked(request)).model_dump_json()]
        except rules.NotJudged as error:
            raise NotJudged(str(error)) from error

    def _generate_answer(self, fields: Fields) -> list[str]:
        return compose_answer(text_of(fields, "question"), sources_of(fields), text_of(fields, "idk"))

    def _rerank_chunk(self, fields: Fields) -> Relevance:
        return Relevance(score=self._relevance(fields, text_of(fields, "chunk")))

    def _rerank_chunks(self, fields: Fields) -> Relevances:
        chunks = items_of(fields, "chunks", Chunks)
        return Relevances(
            scores=[ItemRelevance(id=chunk.id, score=self._relevance(fields, chunk.text)) for chunk in chunks]
        )

    def _relevance(self, fields: Fields, chunk: str) -> float:
        return round(chunk_relevance(text_of(fields, "question"), chunk, self._meaning), 4)

    def _extract_citations(self, fields: Fields) -> Reply:
        limits = int(text_of(fields, "min_chars")), int(text_of(fields, "max_chars"))
        return extract_citations(text_of(fields, "question"), sources_of(fields), limits)

    def _plan_queries(self, fields: Fields) -> Reply:
        return plan_queries(text_of(fields, "claims"), int(text_of(fields, "count")))

    def _restate_question(self, fields: Fields) -> Reply:
        return restate_question(text_of(fields, "question"), text_of(fields, "conversation"))

    def _rewrite_question(self, fields: Fields) -> Reply:
        return rewrite_question(text_of(fields, "question"), int(text_of(fields, "count")))

    def _decide_search(self, fields: Fields) -> Reply:
        return decide_search(text_of(fields, "question"), sources_of(fields), text_of(fields, "searches"))

    def _research_notes(self, fields: Fields) -> Reply:
        return take_notes(text_of(fields, "question"), sources_of(fields), int(text_of(fields, "max_chars")))


def _reply(text: str) -> ModelReply:
    return ModelReply(text=text, model=PROVIDER, usage=Usage(), finish_reason="stop")


def _checked(request: ModelRequest) -> Fields:
    # Only to hold the prompt's fields to the same contract as a model that reads the text.
    render(request.prompt, request.fields)
    return request.fields
