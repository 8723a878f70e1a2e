"""The offline model behind the ChatModel Protocol: one function per prompt, answered from the prompt's fields, of
which the relevance of a passage (S3.1) is computed here.
"""

import asyncio
import math
import re
from collections.abc import AsyncIterator, Callable, Sequence
from functools import lru_cache

from citewell_verify.embeddings.protocol import Encoder
from citewell_verify.judging import statement as rules
from citewell_verify.offline.judge import Fields, OfflineJudge, sources_of, text_of
from citewell_verify.offline.passages import TUNING, Meaning, read_passage
from citewell_verify.prompting.batched_items import Chunks, items_of
from citewell_verify.prompting.judgements import ItemRelevance, Relevance, Relevances, Reply, TargetedQueries
from citewell_verify.prompting.prompts import render
from citewell_verify.question.features import without_question_words
from citewell_verify.question.question_parts import question_stems
from citewell_verify.text.cache import text_cache
from citewell_verify.text.languages import script_of
from citewell_verify.text.words import CALCULATIONS, content_stems, coverage
from clients.llm.offline.answering import compose_answer, extract_citations, take_notes
from clients.llm.offline.searching import decide_search, restate_question, rewrite_question
from clients.llm.protocol import ModelRefused, ModelReply, ModelRequest, NotJudged, StreamPart, Usage
from domain.documents.graph_extraction import read_graph, read_keywords
from domain.retrieval.lexemes import is_unspaced, lexemes, searched_question, without_instructions

_ROW = re.compile(r"[|\t]")
_CELL = re.compile(r"[|\t]|, ")


def chunk_relevance(question: str, chunk: str, meaning: Meaning) -> float:
    """The relevance of `chunk` to `question`, 0..1: the question's words in the whole chunk, in its best sentence and
    in the names in its rows, the words of statements for its terms, and the meaning of its best sentences; of a passage
    in another script the meaning alone, if that says more.
    """
    wanted, passage = _looked_for(question), read_passage(chunk)
    overlap = _overlap(question, wanted, chunk)
    if not meaning.known:
        return _logistic(TUNING.words_chunk_slope * (overlap - TUNING.words_chunk_middle))
    shares = [coverage(wanted, sentence.stems) for sentence in passage.sentences]
    best = sorted(range(len(shares)), key=lambda place: -shares[place])[: TUNING.encoded]
    closeness = meaning.best_likeness(question, [passage.sentences[place].text for place in best])
    raw = TUNING.chunk_overlap * overlap + TUNING.chunk_meaning * closeness
    raw += TUNING.chunk_sentence * max(shares, default=0.0) + TUNING.chunk_row * _named_row(wanted, chunk)
    raw += TUNING.chunk_further * coverage(searched_question(question).further, passage.stems)
    if script_of(question) != script_of(chunk):
        raw = max(raw, meaning.best_likeness(question, [chunk]) + TUNING.chunk_foreign)
    return _logistic(TUNING.chunk_slope * (raw - TUNING.chunk_middle))


@lru_cache(maxsize=256)
def _looked_for(question: str) -> tuple[str, ...]:
    """The stems of what a question is about: the average of other assets is asked of what says "Other assets"."""
    stems = without_question_words(question_stems(without_instructions(question), dated=True))
    return tuple(stem for stem in stems if stem not in CALCULATIONS) or tuple(stems)


def _overlap(question: str, wanted: Sequence[str], chunk: str) -> float:
    """The share of `wanted` in the chunk; in unspaced scripts mixed with that of pairs of characters: people write
    both 전기요금 인상 and 전기요금인상.
    """
    by_words = coverage(wanted, read_passage(chunk).stems)
    asked = _lexemes(question)
    if not any(map(is_unspaced, asked)):
        return by_words
    by_pairs = len(asked & _lexemes(chunk)) / len(asked)
    return by_words + TUNING.unspaced_pairs * (by_pairs - by_words)


@text_cache()
def _lexemes(text: str) -> frozenset[str]:
    return frozenset(lexemes(text))


def _named_row(wanted: Sequence[str], chunk: str) -> float:
    """How far a row of a table is called as the question says, at best 1, as where the question has the whole name:
    years are columns, and do not count."""
    asked = frozenset(word for word in wanted if not word.isdigit())
    alike = (
        1.0 if name <= asked else 2 * len(asked & name) / (len(asked) + len(name)) for name in _names_in_rows(chunk)
    )
    return max(alike, default=0.0)


@text_cache()
def _names_in_rows(chunk: str) -> frozenset[frozenset[str]]:
    """The stems of each cell in the rows of a chunk, of "Spain, Italy" those of both names; figures are none."""
    rows = (sentence.text for sentence in read_passage(chunk).sentences if _ROW.search(sentence.text))
    names = (frozenset(content_stems(cell)) for row in rows for cell in _CELL.split(row))
    return frozenset(name for name in names if any(map(str.isalpha, "".join(name))))


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


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
            "rerank_chunk": lambda fields: Relevance(score=self._relevance(fields, text_of(fields, "chunk"))),
            "rerank_chunks": self._rerank_chunks,
            "extract_citations": lambda fields: extract_citations(
                text_of(fields, "question"),
                sources_of(fields),
                (int(text_of(fields, "min_chars")), int(text_of(fields, "max_chars"))),
            ),
            "plan_queries": lambda fields: plan_queries(text_of(fields, "claims"), int(text_of(fields, "count"))),
            "restate_question": lambda fields: restate_question(
                text_of(fields, "question"), text_of(fields, "conversation")
            ),
            "rewrite_question": lambda fields: rewrite_question(
                text_of(fields, "question"), int(text_of(fields, "count"))
            ),
            "decide_search": lambda fields: decide_search(
                text_of(fields, "question"), sources_of(fields), text_of(fields, "searches")
            ),
            "research_notes": lambda fields: take_notes(
                text_of(fields, "question"), sources_of(fields), int(text_of(fields, "max_chars"))
            ),
            "extract_graph": lambda fields: read_graph(text_of(fields, "chunk")),
            "extract_keywords": lambda fields: read_keywords(text_of(fields, "question")),
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
            return compose_answer(text_of(fields, "question"), sources_of(fields), text_of(fields, "idk"))
        judgement = self._judgements.get(request.prompt)
        if judgement is None:
            raise ModelRefused(f"the offline model cannot answer the prompt {request.prompt!r}")
        try:
            return [judgement(_checked(request)).model_dump_json()]
        except rules.NotJudged as error:
            raise NotJudged(str(error)) from error

    def _rerank_chunks(self, fields: Fields) -> Relevances:
        chunks = items_of(fields, "chunks", Chunks)
        return Relevances(
            scores=[ItemRelevance(id=chunk.id, score=self._relevance(fields, chunk.text)) for chunk in chunks]
        )

    def _relevance(self, fields: Fields, chunk: str) -> float:
        return round(chunk_relevance(text_of(fields, "question"), chunk, self._meaning), 4)


def _reply(text: str) -> ModelReply:
    return ModelReply(text=text, model=PROVIDER, usage=Usage(), finish_reason="stop")


def _checked(request: ModelRequest) -> Fields:
    """The prompt's fields, held to the same contract as by a model that reads the text."""
    render(request.prompt, request.fields)
    return request.fields
