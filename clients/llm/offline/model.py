"""The offline model behind the ChatModel Protocol: one function per prompt, answered from the prompt's fields."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

from citewell_verify.correction.source_wording import source_wording
from citewell_verify.embeddings.protocol import Encoder
from citewell_verify.offline.judging import check_alignment, check_answerability, check_statement
from citewell_verify.offline.meaning import Meaning
from citewell_verify.prompting.batched_items import Chunks, Statements, items_of
from citewell_verify.prompting.judgements import (
    ItemCheck,
    ItemRelevance,
    Relevance,
    Relevances,
    Reply,
    Rewritten,
    StatementCheck,
    StatementChecks,
    TargetedQueries,
)
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.prompting.prompts import render
from clients.llm.offline.answering import compose_answer, extract_citations, take_notes
from clients.llm.offline.passage_relevance import chunk_relevance
from clients.llm.offline.searching import decide_search, restate_question, rewrite_question
from clients.llm.protocol import ModelRefused, ModelReply, ModelRequest, StreamPart, Usage
from domain.documents.graph_extraction import read_graph, read_keywords


def plan_queries(claims: str, count: int) -> TargetedQueries:
    """S2.3: search for the claims themselves, one per line."""
    lines = [line.strip().removeprefix("- ").strip() for line in claims.splitlines()]
    return TargetedQueries(queries=[line for line in lines if line][:count])


def rewrite_statement(statement: str, sources: Sources) -> Rewritten:
    """N5, V6: the sentence of a source that the statement is but for one slot; empty if there is none."""
    for source in sources:
        if text := source_wording(statement, source.text, source.context):
            return Rewritten(text=text, source=source.number)
    return Rewritten(text="", source=0)


_Fields = Mapping[str, object]

PROVIDER = "offline"


class OfflineModel:
    """Answers with sentences of the sources and judges by computation; free, deterministic, without a network.

    Without an embedder it uses words alone, which is a little worse. Safe from several threads and event loops; the
    work runs in a thread, so that no loop is blocked.
    """

    provider = PROVIDER

    def __init__(self, embedder: Encoder | None = None) -> None:
        self._meaning = Meaning(embedder)
        self._judgements: dict[str, Callable[[_Fields], Reply]] = {
            "rerank_chunk": self._rerank_chunk,
            "rerank_chunks": self._rerank_chunks,
            "extract_citations": self._extract_citations,
            "check_alignment": self._check_alignment,
            "check_answerability": self._check_answerability,
            "check_statement": self._check_statement,
            "check_statements": self._check_statements,
            "plan_queries": self._plan_queries,
            "rewrite_statement": self._rewrite_statement,
            "restate_question": self._restate_question,
            "rewrite_question": self._rewrite_question,
            "decide_search": self._decide_search,
            "research_notes": self._research_notes,
            "extract_graph": lambda fields: read_graph(_text(fields, "chunk")),
            "extract_keywords": lambda fields: read_keywords(_text(fields, "question")),
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
        return [judgement(_checked(request)).model_dump_json()]

    def _generate_answer(self, fields: _Fields) -> list[str]:
        return compose_answer(_text(fields, "question"), _sources(fields), _text(fields, "idk"))

    def _rerank_chunk(self, fields: _Fields) -> Relevance:
        return Relevance(score=self._relevance(fields, _text(fields, "chunk")))

    def _rerank_chunks(self, fields: _Fields) -> Relevances:
        chunks = items_of(fields, "chunks", Chunks)
        return Relevances(
            scores=[ItemRelevance(id=chunk.id, score=self._relevance(fields, chunk.text)) for chunk in chunks]
        )

    def _relevance(self, fields: _Fields, chunk: str) -> float:
        return round(chunk_relevance(_text(fields, "question"), chunk, self._meaning), 4)

    def _extract_citations(self, fields: _Fields) -> Reply:
        limits = int(_text(fields, "min_chars")), int(_text(fields, "max_chars"))
        return extract_citations(_text(fields, "question"), _sources(fields), limits)

    def _check_alignment(self, fields: _Fields) -> Reply:
        return check_alignment(_text(fields, "question"), _text(fields, "answer"), _sources(fields), self._meaning)

    def _check_answerability(self, fields: _Fields) -> Reply:
        return check_answerability(_text(fields, "question"), _text(fields, "answer"), _sources(fields), self._meaning)

    def _check_statement(self, fields: _Fields) -> Reply:
        return check_statement(_text(fields, "statement"), _sources(fields), self._meaning)

    def _check_statements(self, fields: _Fields) -> Reply:
        return _check_each(fields, lambda statement, sources: check_statement(statement, sources, self._meaning))

    def _plan_queries(self, fields: _Fields) -> Reply:
        return plan_queries(_text(fields, "claims"), int(_text(fields, "count")))

    def _rewrite_statement(self, fields: _Fields) -> Reply:
        return rewrite_statement(_text(fields, "statement"), _sources(fields))

    def _restate_question(self, fields: _Fields) -> Reply:
        return restate_question(_text(fields, "question"), _text(fields, "conversation"))

    def _rewrite_question(self, fields: _Fields) -> Reply:
        return rewrite_question(_text(fields, "question"), int(_text(fields, "count")))

    def _decide_search(self, fields: _Fields) -> Reply:
        return decide_search(_text(fields, "question"), _sources(fields), _text(fields, "searches"))

    def _research_notes(self, fields: _Fields) -> Reply:
        return take_notes(_text(fields, "question"), _sources(fields), int(_text(fields, "max_chars")))


def _reply(text: str) -> ModelReply:
    return ModelReply(text=text, model=PROVIDER, usage=Usage(), finish_reason="stop")


def _checked(request: ModelRequest) -> _Fields:
    # Only to hold the prompt's fields to the same contract as a model that reads the text.
    render(request.prompt, request.fields)
    return request.fields


def _text(fields: _Fields, name: str) -> str:
    return str(fields[name])


def _sources(fields: _Fields) -> Sources:
    sources = fields["sources"]
    if not isinstance(sources, Sources):
        raise TypeError("the offline model reads its sources from a Sources object")
    return sources


def _check_each(fields: Mapping[str, object], check: Callable[[str, Sources], StatementCheck]) -> StatementChecks:
    sources = fields["sources"]
    if not isinstance(sources, Sources):
        raise TypeError("sources are read from a Sources object, not from a text")
    by_number = {source.number: source for source in sources}
    return StatementChecks(
        verdicts=[
            ItemCheck(id=item.id, verdict=check(item.text, Sources(by_number[number] for number in item.sources)))
            for item in items_of(fields, "statements", Statements)
        ]
    )
