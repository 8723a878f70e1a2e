"""The offline model behind the ChatModel Protocol: one function per prompt, answered from the prompt's fields."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

from clients.embeddings import Encoder
from clients.llm.offline.answering import compose_answer, extract_citations, take_notes
from clients.llm.offline.judging import check_alignment, check_answerability, check_statement
from clients.llm.offline.meaning import Meaning
from clients.llm.offline.passage_relevance import chunk_relevance
from clients.llm.offline.searching import decide_search, restate_question, rewrite_question
from clients.llm.protocol import ModelRefused, ModelReply, ModelRequest, StreamPart, Usage
from domain.correction.source_wording import source_wording
from domain.documents.graph_extraction import read_graph, read_keywords
from domain.prompting.batched_items import Chunks, Statements, items_of
from domain.prompting.judgements import (
    ItemCheck,
    ItemRelevance,
    Relevance,
    Relevances,
    Reply,
    Rewritten,
    StatementChecks,
    TargetedQueries,
)
from domain.prompting.numbered_sources import Sources
from domain.prompting.prompts import render


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
        meaning = self._meaning
        self._judgements: dict[str, Callable[[_Fields], Reply]] = {
            "rerank_chunk": lambda fields: Relevance(score=self._relevance(fields, _text(fields, "chunk"))),
            "rerank_chunks": self._rerank_chunks,
            "extract_citations": lambda fields: extract_citations(
                _text(fields, "question"),
                _sources(fields),
                (int(_text(fields, "min_chars")), int(_text(fields, "max_chars"))),
            ),
            "check_alignment": lambda fields: check_alignment(
                _text(fields, "question"), _text(fields, "answer"), _sources(fields), meaning
            ),
            "check_answerability": lambda fields: check_answerability(
                _text(fields, "question"), _text(fields, "answer"), _sources(fields), meaning
            ),
            "check_statement": lambda fields: check_statement(_text(fields, "statement"), _sources(fields), meaning),
            "check_statements": self._check_statements,
            "plan_queries": lambda fields: plan_queries(_text(fields, "claims"), int(_text(fields, "count"))),
            "rewrite_statement": lambda fields: rewrite_statement(_text(fields, "statement"), _sources(fields)),
            "restate_question": lambda fields: restate_question(
                _text(fields, "question"), _text(fields, "conversation")
            ),
            "rewrite_question": lambda fields: rewrite_question(_text(fields, "question"), int(_text(fields, "count"))),
            "decide_search": lambda fields: decide_search(
                _text(fields, "question"), _sources(fields), _text(fields, "searches")
            ),
            "research_notes": lambda fields: take_notes(
                _text(fields, "question"), _sources(fields), int(_text(fields, "max_chars"))
            ),
            "extract_graph": lambda fields: read_graph(_text(fields, "chunk")),
            "extract_keywords": lambda fields: read_keywords(_text(fields, "question")),
        }

    def reserves(self, request: ModelRequest) -> int:
        """Nothing, because calls are free."""
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
            fields = _checked(request)
            return compose_answer(_text(fields, "question"), _sources(fields), _text(fields, "idk"))
        judgement = self._judgements.get(request.prompt)
        if judgement is None:
            raise ModelRefused(f"the offline model cannot answer the prompt {request.prompt!r}")
        return [judgement(_checked(request)).model_dump_json()]

    def _rerank_chunks(self, fields: _Fields) -> Relevances:
        chunks = items_of(fields, "chunks", Chunks)
        return Relevances(
            scores=[ItemRelevance(id=chunk.id, score=self._relevance(fields, chunk.text)) for chunk in chunks]
        )

    def _relevance(self, fields: _Fields, chunk: str) -> float:
        return round(chunk_relevance(_text(fields, "question"), chunk, self._meaning), 4)

    def _check_statements(self, fields: _Fields) -> StatementChecks:
        by_number = {source.number: source for source in _sources(fields)}
        verdicts: list[ItemCheck] = []
        for item in items_of(fields, "statements", Statements):
            sources = Sources(by_number[number] for number in item.sources)
            verdicts.append(ItemCheck(id=item.id, verdict=check_statement(item.text, sources, self._meaning)))
        return StatementChecks(verdicts=verdicts)


def _reply(text: str) -> ModelReply:
    return ModelReply(text=text, model=PROVIDER, usage=Usage(), finish_reason="stop")


def _checked(request: ModelRequest) -> _Fields:
    """The prompt's fields, held to the same contract as by a model that reads the text."""
    render(request.prompt, request.fields)
    return request.fields


def _text(fields: _Fields, name: str) -> str:
    return str(fields[name])


def _sources(fields: _Fields) -> Sources:
    sources = fields["sources"]
    if not isinstance(sources, Sources):
        raise TypeError("the offline model reads its sources from a Sources object")
    return sources
