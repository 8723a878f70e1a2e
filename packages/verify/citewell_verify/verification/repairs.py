"""The repairs of an answer's failing statements: strategies tried in order, each result checked, new verdicts (N5).

The strategies are: another retrieved chunk, a chunk found by a search, the source's own sentence if it says something
else, and a model's rewriting in words of the source; otherwise the statement is dropped. A rewritten statement keeps
its subjects, and one place of the source must name them with their values (V6): a statement about a thing that no
source names never gets the figures of another thing. If a passage could not be checked because a model failed, the
statement stays as it is, and its state says that it failed, because the passage may support it. If only a rewriting
failed, the statement is dropped, because no source supports it.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypedDict

from citewell_verify.answers.statements import Statement, same_words, statements
from citewell_verify.correction.corrected_answer import (
    Corrected,
    Repair,
    clean_words,
    correct,
    is_proven,
    source_wording,
)
from citewell_verify.evidence.contradictions import disagreements
from citewell_verify.evidence.equivalence import names_subjects
from citewell_verify.evidence.passages import Passage, best_relevance
from citewell_verify.judging.statement import Failure, JudgeModel, excerpts, judge_statement, numbered_sources
from citewell_verify.markers.citable import Citable
from citewell_verify.prompting.judgements import REWRITE_STATEMENT
from citewell_verify.verdicts.ruling import StoredRuling
from citewell_verify.verdicts.states import UNPROVEN, PairVerdict, SentenceStatus, Verdict
from citewell_verify.verification.findings import Findings


class Repaired(TypedDict):
    """N5: the repair of one failing statement. `keys` are those of the chunks that support it now, `text` its new
    words.

    `kept`: no repair was found, but a part of the statement is supported, or a model failed before one was found.
    `reason` says why, for the edit log; `verdict` is the ruling.
    """

    status: Literal["reattributed", "rewritten", "dropped", "kept"]
    keys: list[int]
    text: str | None
    verdict: StoredRuling | None
    reason: str


@dataclass(frozen=True, slots=True)
class Repairs:
    """The repairs of an answer: `edits` and `verdicts` are by statement index. `passages` are those of the answer,
    followed by added passages.
    """

    passages: list[Passage]
    edits: Mapping[int, Repair] = field(default_factory=dict[int, Repair])
    verdicts: Mapping[int, PairVerdict] = field(default_factory=dict[int, PairVerdict])


def repair_item(index: int) -> str:
    return f"s{index}"


def repairs_of(done: Mapping[int, Repaired], passages: list[Passage]) -> Repairs:
    """Return what was `done` about statements, by their index. `passages` are those of the answer, then added ones."""
    numbers = {passage.key: number for number, passage in enumerate(passages, start=1)}
    made = ((index, _edit(repaired, numbers)) for index, repaired in done.items() if repaired["status"] != "kept")
    edits = dict(_said_once(made))
    verdicts = {
        index: PairVerdict.from_json(edits[index].numbers[0], repaired["verdict"])
        for index, repaired in done.items()
        if repaired["verdict"] and index in edits and edits[index].numbers
    }
    return Repairs(passages, edits, verdicts)


def _said_once(edits: Iterable[tuple[int, Repair]]) -> Iterator[tuple[int, Repair]]:
    # One sentence of a source may be the repair of several wrong statements.
    said = set[str]()
    for index, repair in edits:
        again = repair.kind == "rewritten" and same_words(repair.text) in said
        yield index, Repair("dropped", f"{repair.reason}; another sentence says it") if again else repair
        said.add(same_words(repair.text))


def _edit(repaired: Repaired, numbers: Mapping[int, int]) -> Repair:
    if repaired["status"] == "dropped":
        return Repair("dropped", repaired["reason"])
    left = tuple(numbers[key] for key in repaired["keys"] if key in numbers)
    if len(left) < len(repaired["keys"]):
        return Repair("dropped", f"{repaired['reason']}; that passage was deleted meanwhile")
    if repaired["status"] == "rewritten":
        return Repair.rewriting(repaired["text"] or "", left, repaired["reason"])
    return Repair("reattributed", repaired["reason"], left)


def corrected_draft(
    findings: Findings, repairs: Repairs, sources: Citable, threshold: float, *, renumber: bool = True
) -> Corrected:
    """The draft with repairs and without its wrong citations (S5.4); see `correct` for `sources` and `renumber`.

    A sure "no" removes a citation. A doubtful citation stays behind a sentence that is supported in part or was not
    checked. No citation stays behind a sentence that no source supports or that a source denies, nor behind a heading
    or another text that claims nothing by itself.
    """

    def is_wrong(index: int, verdict: PairVerdict) -> bool:
        given = verdict.verdict(threshold)
        in_doubt = given is not Verdict.ACCURATE and verdict.status == "checked"
        state = findings.states[index]
        return given is Verdict.INACCURATE or state in UNPROVEN or (state is SentenceStatus.NO_CLAIM and in_doubt)

    wrong = {
        (index, number) for (index, number), verdict in findings.verdicts.items() if number and is_wrong(index, verdict)
    }
    return correct(findings.draft, sources, wrong, repairs.edits, renumber=renumber)


BUDGET_S = 240.0
"""The time for one statement; it keeps a task far below the time after which its message is redelivered."""

_MOST_TRIED = 3  # a model is asked about so many of the retrieved chunks, and of the chunks found by a search
_RELEVANT = 0.3  # S4.4: a text with a smaller share of a claim's words is not about it
_LONGEST_GROWTH = 1.5


@dataclass(frozen=True, slots=True)
class Candidates:
    """The passages from which a failing statement may be repaired.

    `selected` are those of the answer, by the numbers that it cites; `retrieved` and `searched` were found in addition.
    """

    selected: Sequence[Passage]
    retrieved: Sequence[Passage] = ()
    searched: Sequence[Passage] = ()


@dataclass(slots=True)
class RepairStrategies:
    """Repairs one statement, once; a judgement counts from confidence `threshold` on.

    `ranks_selected`: the passages of the answer are in no order of relevance and have to be ranked, as given sources
    (N2) are. `failures` collects the reasons why passages could not be checked.
    """

    judge: JudgeModel
    statement: Statement
    findings: Findings
    candidates: Candidates
    threshold: float
    ranks_selected: bool = False
    failures: list[str] = field(default_factory=list[str])

    async def apply(self) -> Repaired:
        why = "; ".join(check.explanation for check in self.findings.checks_of(self.statement.index))
        try:
            async with asyncio.timeout(BUDGET_S):
                repaired = await self._repaired(why)
        except TimeoutError:
            repaired = None
            self.failures.append("the time for repairs ran out")
        if repaired:
            return repaired
        if self.failures:
            return _left("kept", f"{why}; it could not be repaired: {self.failures[0]}")
        if self.findings.states[self.statement.index] is SentenceStatus.PARTIAL:
            return _left("kept", f"{why}; a part of it is supported")
        return _left("dropped", why or "no source supports it")

    async def _repaired(self, why: str) -> Repaired | None:
        retrieved, searched = await asyncio.to_thread(self._untried)
        for passages, how in ((retrieved, "retrieved"), (searched, "found by a search")):
            for passage in passages:
                if ruling := await self._ruling(self.statement.text, [passage]):
                    why = f"{why}; {passage.label} ({how}) says it"
                    return Repaired(status="reattributed", keys=[passage.key], text=None, verdict=ruling, reason=why)
        return await self._rewritten(retrieved, searched, why)

    def _cited(self) -> list[Passage]:
        selected = self.candidates.selected
        return [selected[number - 1] for number in self.statement.numbers if 1 <= number <= len(selected)]

    def _untried(self) -> tuple[list[Passage], list[Passage]]:
        """(retrieved, searched), likeliest first, without the passages that the statement was checked against."""
        tried = {passage.key for passage in self._cited() or self.candidates.selected}
        retrieved = [passage for passage in self.candidates.retrieved if passage.key not in tried]
        tried |= {passage.key for passage in retrieved}
        searched = [passage for passage in self.candidates.searched if passage.key not in tried]
        return self._likeliest(retrieved), self._likeliest(searched)

    def _likeliest(self, passages: Sequence[Passage]) -> list[Passage]:
        text = self.statement.text
        rated = [(best_relevance(text, passage.readable), passage) for passage in passages]
        likely = [(score, passage) for score, passage in rated if score >= _RELEVANT]
        agreeing = [pair for pair in likely if not disagreements(text, pair[1].readable)]
        return [passage for _, passage in sorted(agreeing, key=lambda pair: -pair[0])][:_MOST_TRIED]

    async def _rewritten(self, retrieved: list[Passage], searched: list[Passage], why: str) -> Repaired | None:
        selected = self.candidates.selected
        for passage, text in self._quotations(self._cited() or self._most_relevant(selected)):
            if ruling := await self._ruling(text, [passage]):
                return _reworded(passage, text, ruling, f"{why}; {passage.label} says otherwise")
        if not self.statement.numbers and not any(
            best_relevance(self.statement.text, passage.readable) >= _RELEVANT for passage in selected
        ):
            return None  # the statement cites nothing, and no passage is about it: a greeting, an offer of help
        # Passages that all statements of the answer may cite come first and in one order, for the provider's prefix
        # cache.
        passages = list({passage.key: passage for passage in (*selected, *retrieved, *searched)}.values())
        shown = excerpts(passages, [replace(self.statement, numbers=())]).sources
        fields = {"sources": shown, "statement": self.statement.text, "reason": why}
        item = repair_item(self.statement.index)
        reply = await self.judge.ask(REWRITE_STATEMENT, fields, item=item)
        if isinstance(reply, Failure):
            return None
        text = clean_words(reply.text)
        if not 1 <= reply.source <= len(passages) or not self._is_minimal(text):
            return None
        passage = passages[reply.source - 1]
        if not is_proven(text, passage.readable, passage.readable_context):
            return None
        ruling = await self._ruling(text, [passage])
        return _reworded(passage, text, ruling, f"{why}; {passage.label} supports less") if ruling else None

    def _most_relevant(self, passages: Sequence[Passage]) -> list[Passage]:
        # Retrieved passages are already in order, best first.
        if not self.ranks_selected:
            return list(passages)
        return sorted(passages, key=lambda passage: -best_relevance(self.statement.text, passage.readable))

    def _quotations(self, passages: Sequence[Passage]) -> Iterator[tuple[Passage, str]]:
        said = {same_words(statement.text) for statement in self.findings.statements}
        for passage in passages[:_MOST_TRIED]:
            text = source_wording(
                self.statement.text, passage.readable, passage.readable_context, self._contradicting(passage)
            )
            if text and (text := clean_words(text)) and same_words(text) not in said:
                yield passage, text

    def _contradicting(self, passage: Passage) -> tuple[int, int] | None:
        """Return the place of the words of a passage that deny the statement, if the check of it found any."""
        selected = self.candidates.selected
        for check in self.findings.checks_of(self.statement.index):
            place = check.evidence
            if place and check.relation == "contradicts":
                number = check.number or place.source + 1
                if selected[number - 1].key == passage.key:
                    return place.start, place.end
        return None

    def _is_minimal(self, text: str) -> bool:
        # One claim about the same subjects (V6), and not much longer than the statement.
        old, said = self.statement.text, statements(text)
        grown = len(text) > _LONGEST_GROWTH * len(old) + 20
        return text != old and len(said) == 1 and said[0].claim and not grown and names_subjects(text, old)

    async def _ruling(self, text: str, passages: Sequence[Passage]) -> StoredRuling | None:
        item = repair_item(self.statement.index)
        checked = await judge_statement(self.judge, text, numbered_sources(list(passages)), item=item)
        ruling = checked["verdict"]
        if ruling is None:
            self.failures.append(checked.get("reason", "a check failed"))
            return None
        return ruling if PairVerdict.from_json(1, ruling).verdict(self.threshold) is Verdict.ACCURATE else None


def _reworded(passage: Passage, text: str, ruling: StoredRuling, reason: str) -> Repaired:
    return Repaired(status="rewritten", keys=[passage.key], text=text, verdict=ruling, reason=reason)


def _left(status: Literal["kept", "dropped"], reason: str) -> Repaired:
    return Repaired(status=status, keys=[], text=None, verdict=None, reason=reason)
