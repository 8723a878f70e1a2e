"""Repairing what failed its checks (N5): another retrieved chunk, else a search, else other words, else it goes."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clients.llm.gateway import Failure
from db.queries.chunks import Passage
from db.queries.search import search_text, search_vector
from db.session import reading
from domain.citations import Statement, statements
from domain.disagreements import disagreements
from domain.evidence import claim_relevance
from domain.judgements import CHECK_ANSWERABILITY, REWRITE_STATEMENT
from domain.mending import clean_words
from domain.outcomes import Assessed, Checked, EvidenceFound, Repaired
from domain.ranking import fuse
from domain.sources import Sources
from domain.substitution import substituted
from domain.verdicts import PairVerdict, SentenceStatus, Verdict
from services.findings import Findings, find
from services.judging import judge_statement
from services.repairs import corrected_draft, read_repairs, repair_item
from services.step import StepContext, StepResult, numbered

_MOST_TRIED = 3
"""Chunks that a model is asked about for one statement, of those retrieved and of those searched for."""
_RELEVANT = 0.3  # S4.4: with less of a claim's words a text is not about it
_LONGEST_GROWTH = 1.5


def search_evidence(context: StepContext) -> StepResult:
    """Search the workspace for every failing statement: vectors and full text, a few chunks for each."""
    failing = _failing(context)
    query, embedder, k = context.query, context.tools.embedder, context.query.options.second_pass_k
    embeddings: list[list[float]] = embedder.encode([statement.text for statement in failing]).tolist()
    found: dict[str, list[int]] = {}
    with reading() as session:
        for statement, embedding in zip(failing, embeddings, strict=True):
            near = [key for key, _ in search_vector(session, query.workspace_id, embedding, k)]
            found[str(statement.index)] = fuse([near, search_text(session, query.workspace_id, statement.text, k)])[:k]
    return StepResult.single(EvidenceFound(status="searched", found=found))


def _failing(context: StepContext) -> list[Statement]:
    wanted = Assessed(**(context.outcome("assess") or {}))["failing"]
    return [statement for statement in statements(context.draft["text"]) if statement.index in wanted]


async def repair_statements(context: StepContext) -> StepResult:
    """Repair this task's statements, all at once."""
    failing = {repair_item(statement.index): statement for statement in _failing(context)}
    findings = await asyncio.to_thread(find, context)
    repaired = await asyncio.gather(*(_Repair(context, failing[item]).run(findings) for item in context.items))
    return StepResult({item: dict(each) for item, each in zip(context.items, repaired, strict=True)})


class _Repair:
    """The ladder for one statement; the first rung that holds is taken."""

    def __init__(self, context: StepContext, statement: Statement) -> None:
        self._context = context
        self._statement = statement
        self._threshold = context.query.options.citation_confidence

    async def run(self, findings: Findings) -> Repaired:
        retrieved, searched = await asyncio.to_thread(self._candidates)
        why = "; ".join(check.explanation for check in findings.checks_of(self._statement.index))
        for passages, how in ((retrieved, "retrieved"), (searched, "found by a search")):
            for passage in passages:
                ruling = await self._ruling(self._statement.text, passage)
                if ruling:
                    reason = f"{why}; {passage.label} ({how}) says it"
                    return Repaired(status="reattributed", key=passage.key, text=None, verdict=ruling, reason=reason)
        if rewritten := await self._rewritten(self._sources(retrieved, searched), why):
            return rewritten
        if findings.states[self._statement.index] is SentenceStatus.PARTIAL:
            return Repaired(
                status="kept", key=None, text=None, verdict=None, reason=f"{why}; a part of it is supported"
            )
        return Repaired(status="dropped", key=None, text=None, verdict=None, reason=why or "no source supports it")

    def _candidates(self) -> tuple[list[Passage], list[Passage]]:
        """(retrieved, searched): chunks that may say it, the likeliest first; never one that it was checked against."""
        context, number = self._context, self._statement
        selected = context.selection["selected"]
        tried = {selected[n - 1] for n in number.numbers if 1 <= n <= len(selected)}
        ranked = [key for key in context.selection["ranked"] if key not in tried]
        outcome = context.outcome("search_evidence") or {}
        found = outcome.get("found", {}).get(str(self._statement.index), [])
        searched = [key for key in found if key not in tried and key not in ranked]
        return self._likeliest(ranked), self._likeliest(searched)

    def _likeliest(self, keys: Sequence[int]) -> list[Passage]:
        text = self._statement.text
        rated = [(claim_relevance(text, passage.text), passage) for passage in self._context.passages(list(keys))]
        likely = [(score, passage) for score, passage in rated if score >= _RELEVANT]
        agreeing = [each for each in likely if not disagreements(text, each[1].text)]
        return [passage for _, passage in sorted(agreeing, key=lambda each: -each[0])][:_MOST_TRIED]

    def _sources(self, retrieved: Sequence[Passage], searched: Sequence[Passage]) -> list[Passage]:
        """What a rewriting may rest on: the sources that it cites, the others of the answer, then what was found."""
        selected = self._context.selected_passages()
        cited = [selected[n - 1] for n in self._statement.numbers if 1 <= n <= len(selected)]
        return list({passage.key: passage for passage in (*cited, *selected, *retrieved, *searched)}.values())

    async def _rewritten(self, passages: Sequence[Passage], why: str) -> Repaired | None:
        for passage, text in self._substitutions(passages):
            if ruling := await self._ruling(text, passage):
                return self._rewriting(passage, text, ruling, f"{why}; {passage.label} says otherwise")
        fields = {"sources": numbered(list(passages)), "statement": self._statement.text, "reason": why}
        reply = await self._context.tools.models.ask(
            REWRITE_STATEMENT, fields, log=self._context.log, item=repair_item(self._statement.index)
        )
        if isinstance(reply, Failure) or not 1 <= reply.source <= len(passages):
            return None
        text, passage = clean_words(reply.text), passages[reply.source - 1]
        if not self._is_minimal(text):
            return None
        ruling = await self._ruling(text, passage)
        return self._rewriting(passage, text, ruling, f"{why}; {passage.label} supports less") if ruling else None

    def _substitutions(self, passages: Sequence[Passage]) -> Iterator[tuple[Passage, str]]:
        """The statement with the source's own figure for a wrong one, for each source that has one."""
        for passage in passages[:_MOST_TRIED]:
            text = substituted(self._statement.text, disagreements(self._statement.text, passage.text))
            if text is not None:
                yield passage, clean_words(text)

    def _is_minimal(self, text: str) -> bool:
        said = statements(text)
        grown = len(text) > _LONGEST_GROWTH * len(self._statement.text) + 20
        return text != self._statement.text and len(said) == 1 and said[0].claim and not grown

    def _rewriting(self, passage: Passage, text: str, ruling: dict[str, Any], reason: str) -> Repaired:
        return Repaired(status="rewritten", key=passage.key, text=text, verdict=ruling, reason=reason)

    async def _ruling(self, text: str, passage: Passage) -> dict[str, Any] | None:
        """The ruling on `text` against `passage`, if it is a sure yes."""
        sources = Sources.numbered([(passage.label, passage.text)])
        item = repair_item(self._statement.index)
        checked = await judge_statement(self._context.tools.models, text, sources, log=self._context.log, item=item)
        ruling = checked["verdict"]
        if ruling is None or PairVerdict.from_json(1, ruling).verdict(self._threshold) is not Verdict.ACCURATE:
            return None
        return ruling


async def recheck_answerability(context: StepContext) -> StepResult:
    """S3.4 once more, when the draft was not answerable and repairs changed it: the repaired answer is what counts."""
    first = (context.outcome("check_answerability") or {}).get("verdict")
    repairs = await asyncio.to_thread(read_repairs, context)
    if not first or first["supported"] or not repairs.edits:
        return StepResult.single(Checked(status="skipped", verdict=None, reason="the first verdict stands"))
    mended = corrected_draft(context, find(context), repairs)
    if not any(statement.claim for statement in mended.statements):
        return StepResult.single(Checked(status="skipped", verdict=None, reason="nothing is left of the answer"))
    sources = numbered(_as_cited(repairs.passages, mended.mapping))
    fields = {"sources": sources, "question": context.query.question, "answer": mended.text}
    reply = await context.tools.models.ask(CHECK_ANSWERABILITY, fields, log=context.log)
    if isinstance(reply, Failure):
        return StepResult.single(Checked(status="not_checked", verdict=None, reason=reply.reason))
    return StepResult.single(Checked(status="checked", verdict=reply.model_dump()))


def _as_cited(passages: Sequence[Passage], mapping: Mapping[int, int]) -> list[Passage]:
    """The passages by the numbers that the mended answer has for them, then the others: its markers must not lie."""
    numbers = sorted(range(1, len(passages) + 1), key=lambda old: (old not in mapping, mapping.get(old, old)))
    return [passages[old - 1] for old in numbers]
