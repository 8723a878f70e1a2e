"""Tries a model with all kinds of calls that a question needs, through the gateway that serves questions; the right
answers are known.
"""

import asyncio
import math
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from citewell_verify.answers.translation import translated
from citewell_verify.judging.statement import Failure
from citewell_verify.markers.citable import Citable, SourceNames
from citewell_verify.markers.parser import cited_markers
from citewell_verify.prompting.batched_items import Chunks, Statements, by_id
from citewell_verify.prompting.judgements import (
    CHECK_ALIGNMENT,
    CHECK_ANSWERABILITY,
    CHECK_STATEMENT,
    CHECK_STATEMENTS,
    GENERATE_ANSWER,
    RERANK_CHUNK,
    RERANK_CHUNKS,
    Judgement,
    Reply,
    Unit,
)
from citewell_verify.prompting.numbered_sources import Sources
from clients.llm.factory import make_model
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog, Terms
from config.settings import Settings

_R = TypeVar("_R", bound=Reply)

_QUESTION, _PASSAGE = "How long may a product be returned?", "Products may be returned within 30 days of delivery."
_IRRELEVANT = "The canteen opens at noon and serves soup, bread and two warm dishes."
_RIGHT, _WRONG = _PASSAGE, "Products may be returned within 90 days of delivery."
_UNRELATED = "The canteen serves two warm dishes."
_EXPECTED = "30"
_LAST_QUESTION = "How much is the parking fee for visitors?"
_LAST_PASSAGE, _LAST_EXPECTED = "The parking fee for visitors is 7 euros.", "7"
_FILLER = (
    "Office {number} keeps a register of its furniture, which the caretaker compares with the rooms every spring. "
    "What is broken is repaired in the workshop or handed over to a dealer, and the register notes the date."
)
_BYTES_PER_TOKEN = 4
_FIRST_CHARS, _REPEATED = 12, 3
_RELEVANT = 0.5
"""The passage answers the question, so a model that scores it lower than this cannot judge."""
_LOADING = 503
_PAUSES_S = (1.0, 2.0, 5.0)
_LOST_S, _ONE_AFTER_THE_OTHER = 0.3, 1.6
"""Calls that are faster than this show nothing; when two at once take this many times as long as one, one waits for the
other.
"""


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial and its result: `problem` is None when all is well. `seconds` is the duration of its slowest call.
    `fits` is False if a reply had another form than was asked for.
    """

    model: str
    tried: str
    seconds: float
    problem: str | None = None
    fits: bool = True
    note: str = ""

    @property
    def found(self) -> str:
        return self.problem or self.note or "ok"


@dataclass(frozen=True, slots=True)
class Trials:
    """All trials of a model. `at_once` is the number of calls that the server serves at a time; None if no trial showed
    it.
    """

    rows: tuple[Trial, ...]
    at_once: int | None = None

    @property
    def problem(self) -> str | None:
        row = next((row for row in self.rows if row.problem), None)
        return f"{row.tried}: {row.problem}" if row else None

    @property
    def slowest_s(self) -> float:
        # The first call may have waited until the model was loaded.
        return max((row.seconds for row in self.rows[1:] or self.rows), default=0.0)


class _Kept(Reply):
    """A form that the prompt does not ask for: only a server that enforces the schema replies in it."""

    relevance_of_the_chunk: Unit


def try_model(
    settings: Settings,
    name: str,
    *,
    writes: bool,
    judges: bool,
    say: Callable[[str], None] = lambda _: None,
    until: float = math.inf,
) -> Trials:
    """Try everything that a question needs of a model that `writes`, `judges` or both. A trial that has not ended at
    `until`, a time of the monotonic clock, has failed. Raises ConfigurationInvalid."""
    written = (_stream,) if writes else ()
    judged = (_score, _several, _statement, _statements, _alignment, _answerability) if judges else ()
    tries = (*written, *judged, *_long_prompts(settings, writes=writes), _two_at_once)
    return asyncio.run(_all(settings, name, tries, say, until))


def look_at_model(settings: Settings, name: str, *, writes: bool, judges: bool) -> Trials:
    """Try a model with a few calls. Raises ConfigurationInvalid."""
    tries = ((_stream,) if writes else ()) + ((_statements,) if judges else ())
    every = (*tries, *_long_prompts(settings, writes=writes))
    return asyncio.run(_all(settings, name, every, lambda _: None, math.inf))


def _long_prompts(settings: Settings, *, writes: bool) -> "tuple[_Tried, ...]":
    # Groq refuses prompts that are too long, and these would use up a minute's tokens of a free account.
    return (_long,) if writes and settings.provider != "groq" else ()


def keeps_schema(
    settings: Settings, name: str, *, say: Callable[[str], None] = lambda _: None, until: float = math.inf
) -> Trials:
    """Try whether the server enforces a schema. `until` is as in `try_model`. Raises ConfigurationInvalid."""
    return asyncio.run(_all(settings, name, (_schema,), say, until))


class _Stopped(Exception):
    """The reason why a trial has failed."""

    def __init__(self, reason: str, *, fits: bool = True) -> None:
        super().__init__(reason)
        self.fits = fits


class _Asker:
    """Asks through the gateway, waits for a model that is being loaded, and notes the seconds of each call."""

    def __init__(self, settings: Settings, name: str, say: Callable[[str], None]) -> None:
        self.settings, self.name = settings, name
        self.seconds: list[float] = []
        self._say = say
        self._model = make_model(settings)
        self._gateway = ModelGateway(self._model, settings.models)

    async def judge(self, judgement: Judgement[_R], **fields: object) -> _R:
        return await self._asked(lambda log: self._gateway.ask(judgement, fields, log=log, model=self.name))

    async def answer(self, question: str, passages: Sequence[str]) -> str:
        """The model's answer to the question, with its citations written as the workflow writes them."""
        citable = _citable(len(passages))
        sources = Sources.numbered(
            [(names.whole[0], text) for names, text in zip(citable.names, passages, strict=True)]
        )
        fields: Mapping[str, object] = {"sources": sources, "question": question, "idk": "I don't know.", "style": ""}
        reply = await self._asked(lambda log: self._gateway.compose(GENERATE_ANSWER, fields, log=log, model=self.name))
        return translated(reply.text, citable, first_number=1).text

    async def aclose(self) -> None:
        await self._model.aclose()

    async def _asked(self, ask: Callable[[CallLog], Awaitable[Any]]) -> Any:
        gives_up_at = time.monotonic() + self.settings.models.deadline_s
        pauses = iter(_PAUSES_S)
        while True:
            log = CallLog(terms=Terms(outage_s=0.0))
            given = await ask(log)
            self.seconds.extend(record.duration_ms / 1000 for record in log.records if record.error is None)
            if not isinstance(given, Failure):
                return given
            is_loading = bool(log.records) and log.records[-1].status == _LOADING
            pause_s = next(pauses, _PAUSES_S[-1] if is_loading else None)
            passes = given.kind in ("unavailable", "rate_limited") and any(record.status for record in log.records)
            if not passes or pause_s is None or time.monotonic() >= gives_up_at:
                raise _Stopped(given.reason, fits=given.kind not in ("invalid_reply", "refused"))
            self._say(f"waiting for {self.name}: {given.reason}")
            await asyncio.sleep(pause_s)


_Tried = tuple[str, Callable[[_Asker], Awaitable[str | int | None]]]


async def _all(
    settings: Settings, name: str, tries: Sequence[_Tried], say: Callable[[str], None], until: float
) -> Trials:
    asker, rows, at_once = _Asker(settings, name, say), list[Trial](), None
    try:
        for tried, attempt in tries:
            say(f"trying {name}: {tried}; a model that is not loaded yet takes a while")
            began, calls = time.perf_counter(), len(asker.seconds)
            problem, fits, note = None, True, ""
            try:
                async with asyncio.timeout(_left(until)):
                    outcome = await attempt(asker)
            except TimeoutError:
                problem = "it did not end in the time that there is to try a model; take a smaller or faster one"
            except _Stopped as stopped:
                problem, fits = str(stopped), stopped.fits
            else:
                if isinstance(outcome, int):
                    at_once = outcome
                    note = "one after the other" if outcome == 1 else "served together"
            seconds = max(asker.seconds[calls:], default=time.perf_counter() - began)
            rows.append(Trial(name, tried, seconds, problem, fits, note))
            if problem is not None:
                break  # Further trials would cost a slow server minutes, and cannot make it usable.
    finally:
        await asker.aclose()
    return Trials(tuple(rows), at_once)


def _left(until: float) -> float | None:
    return None if math.isinf(until) else max(0.0, until - time.monotonic())


async def _writes(asker: _Asker) -> None:
    text = await asker.answer(_QUESTION, [_PASSAGE])
    _require(_EXPECTED in text, f"it does not answer from a passage: {text[:80]!r}")
    _require(text.count(text[:_FIRST_CHARS]) < _REPEATED, f"the pieces of its stream repeat each other: {text[:80]!r}")
    cited = {number for marker in cited_markers(text, _citable(1)) for number in marker.numbers}
    _require(1 in cited, f"it does not cite the passage as asked ([†1]): {text[:80]!r}")
    added = set(re.findall(r"\d+", _without_markers(text))) - {_EXPECTED}
    _require(not added, f"it adds what no passage says: {text[:80]!r}")


async def _scores(asker: _Asker) -> None:
    scores = [(await asker.judge(RERANK_CHUNK, question=_QUESTION, chunk=of)).score for of in (_PASSAGE, _IRRELEVANT)]
    _require_scores(*scores)


async def _judges_statement(asker: _Asker) -> None:
    checked = await asker.judge(CHECK_STATEMENT, sources=_sources(), statement=_RIGHT)
    _require(checked.is_accurate and checked.relation == "supports", "it does not see that a passage says a statement")


async def _judges_statements(asker: _Asker) -> None:
    asked, sources = Statements.of([(text, _sources()) for text in (_RIGHT, _WRONG, _UNRELATED)])
    replies = await asker.judge(CHECK_STATEMENTS.for_items(3), sources=sources, statements=asked)
    verdicts = by_id(asked, replies.verdicts)
    _require(len(verdicts) == len(asked), "it leaves out a statement, or does not copy its id")
    right, wrong, unrelated = (verdicts[statement.id].verdict.relation == "supports" for statement in asked)
    _require(not wrong, f"it calls a wrong statement supported ({_WRONG!r} against {_PASSAGE!r})")
    _require(not unrelated, f"it calls an unrelated statement supported ({_UNRELATED!r} against {_PASSAGE!r})")
    _require(right, "it does not see that a passage says a statement")


async def _scores_several(asker: _Asker) -> None:
    chunks = Chunks.of([_PASSAGE, _IRRELEVANT])
    replies = await asker.judge(RERANK_CHUNKS.for_items(2), question=_QUESTION, chunks=chunks)
    scores = by_id(chunks, replies.scores)
    _require(len(scores) == len(chunks), "it leaves out a passage, or does not copy its id")
    _require_scores(*(scores[chunk.id].score for chunk in chunks))


async def _aligns(asker: _Asker) -> None:
    fields = {"sources": _sources(), "question": _QUESTION, "answer": f"{_RIGHT} [†1]"}
    aligned = await asker.judge(CHECK_ALIGNMENT, **fields)
    _require(
        aligned.answers != "no" and aligned.score >= _RELEVANT, "it does not see that an answer answers a question"
    )


async def _decides(asker: _Asker) -> None:
    fields = {"sources": _sources(), "question": _QUESTION, "answer": f"{_RIGHT} [†1]"}
    decided = await asker.judge(CHECK_ANSWERABILITY, **fields)
    _require(decided.supported, "it does not see that a passage says an answer")


async def _reads_long(asker: _Asker) -> None:
    tokens = asker.settings.rerank.context_tokens
    fillers = max(1, tokens * _BYTES_PER_TOKEN // len(_FILLER) - 1)
    passages = [_PASSAGE, *(_FILLER.format(number=number) for number in range(2, fillers + 2)), _LAST_PASSAGE]
    for where, question, expected, marker in (
        ("beginning", _QUESTION, _EXPECTED, 1),
        ("end", _LAST_QUESTION, _LAST_EXPECTED, len(passages)),
    ):
        text = await asker.answer(question, passages)
        cited = [number for citation in cited_markers(text, _citable(len(passages))) for number in citation.numbers]
        if expected not in text or marker not in cited:
            raise _Stopped(
                f"it does not answer from the {where} of a long prompt: {text[:80]!r}; if the server cuts prompts, "
                "raise its context window (num_ctx in Ollama, --ctx-size in llama.cpp) or lower rerank.context_tokens"
            )


def _citable(passages: int) -> Citable:
    return Citable(tuple(SourceNames((f"text{number}.md",)) for number in range(1, passages + 1)))


async def _asks_two(asker: _Asker) -> int | None:
    async def ask(passage: str) -> None:
        if asker.settings.judges_offline:
            await asker.answer(_QUESTION, [passage])
        else:
            await asker.judge(RERANK_CHUNK, question=_QUESTION, chunk=passage)

    async def seconds_of(*passages: str) -> float:
        began = time.perf_counter()
        await asyncio.gather(*map(ask, passages))
        return time.perf_counter() - began

    # The texts differ each time, because a server may keep what it has read.
    alone_s = await seconds_of(f"Parcels: {_PASSAGE}")
    if alone_s < _LOST_S:
        await seconds_of(f"Letters: {_PASSAGE}", f"Books: {_PASSAGE}")
        return None
    together_s = await seconds_of(f"Letters: {_PASSAGE}", f"Books: {_PASSAGE}")
    return 1 if together_s > _ONE_AFTER_THE_OTHER * alone_s else 2


async def _keeps_schema(asker: _Asker) -> None:
    judgement = Judgement(RERANK_CHUNK.name, "fast", _Kept, RERANK_CHUNK.max_tokens)
    await asker.judge(judgement, question=_QUESTION, chunk=_PASSAGE)


_stream: _Tried = ("a streamed answer that cites", _writes)
_score: _Tried = ("a score", _scores)
_statement: _Tried = ("a verdict on a statement", _judges_statement)
_statements: _Tried = ("verdicts on a right and a wrong statement", _judges_statements)
_several: _Tried = ("scores of several passages", _scores_several)
_alignment: _Tried = ("whether an answer fits its question", _aligns)
_answerability: _Tried = ("whether a passage says an answer", _decides)
_long: _Tried = ("a long prompt", _reads_long)
_two_at_once: _Tried = ("two calls at once", _asks_two)
_schema: _Tried = ("a schema that the server enforces", _keeps_schema)


def _sources() -> Sources:
    return Sources.numbered([("terms.md", _PASSAGE)])


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise _Stopped(f"{problem}; take another model")


def _require_scores(relevant: float, irrelevant: float) -> None:
    _require(relevant >= _RELEVANT, f"it scores a passage that answers the question {relevant:g}")
    _require(irrelevant < relevant, f"it scores a passage about something else {irrelevant:g}")


def _without_markers(text: str) -> str:
    ends = [
        0,
        *(place for marker in cited_markers(text, _citable(1)) for place in (marker.start, marker.end)),
        len(text),
    ]
    return " ".join(text[start:end] for start, end in list(pairwise(ends))[::2])
