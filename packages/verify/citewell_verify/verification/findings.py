"""The findings of the checks of an answer: verdicts, states of its sentences, confidence (N4, S2.2). Statements that no
cited source supports alone are checked against all of their cited sources together (V7).

This joint check follows the checks of single pairs (S5.4); a model is asked once, if the sources together have every
part.
"""

import asyncio
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from citewell_verify.answers.statements import Statement, same_words
from citewell_verify.judging.statement import WINDOW_CHARS, Checked, Failure, JudgeModel, judge_statement
from citewell_verify.prompting.judgements import CHECK_STATEMENT
from citewell_verify.prompting.numbered_sources import Source, Sources, content_of
from citewell_verify.text.languages import unread_language
from citewell_verify.verdicts.confidence import confidence
from citewell_verify.verdicts.joint_support import (
    MOST_SOURCES,
    JointSupport,
    find_joint_support,
    joint_rulings,
    rulings_on_whole,
)
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, Verdict, is_failing, sentence_status

Verdicts = Mapping[tuple[int, int | None], PairVerdict]
"""Verdicts by (statement index, citation number or None), as the model wrote them."""

JointVerdicts = Mapping[tuple[int, int], PairVerdict]
"""V7: verdicts on several cited sources together, by (statement index, number of one of them)."""

_MOST_GAPS = 8
_OPEN = (SentenceStatus.CONTRADICTED, SentenceStatus.UNSUPPORTED, SentenceStatus.PARTIAL)


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings about the draft, sentence by sentence; the claims of S2.1 and the facts of S1.4 follow from the same
    states.

    `unasked`: the request asked for nothing that needs verdicts on sentences (N2), so the findings say nothing about
    the answer.
    """

    draft: str
    statements: Sequence[Statement]
    verdicts: Verdicts
    states: Mapping[int, SentenceStatus]
    confidence: float | None
    checks: Mapping[int, list[PairVerdict]]
    """The verdicts by the index of their statement."""
    unasked: bool = False

    def checks_of(self, index: int) -> list[PairVerdict]:
        return self.checks.get(index, [])

    def failing(self, threshold: float) -> list[int]:
        """N5: the statements that no source supports (`is_failing`), without table rows, which are never repaired: half
        a row is worse than a row whose state says that it failed.
        """
        failing = [
            statement
            for statement in self.statements
            if statement.claim and is_failing(self.checks_of(statement.index), threshold)
        ]
        return [statement.index for statement in failing if not self._is_in_table(statement)]

    def _is_in_table(self, statement: Statement) -> bool:
        start = self.draft.rfind("\n", 0, statement.start) + 1
        end = self.draft.find("\n", statement.end)
        return "|" in self.draft[start : end if end >= 0 else len(self.draft)]

    def supported_texts(self, repaired: Container[int] = (), doubtful: Container[SentenceStatus] = ()) -> list[str]:
        """The supported claims, in order, if no sentence that cites a source lacks support; else none.

        A sentence that cites nothing ("I hope this helps!") is judged and removed by itself, and does not weaken the
        others. Neither does a sentence in a `doubtful` state. `repaired` are the indexes of sentences that were
        changed.
        """
        left = [statement for statement in self.statements if statement.index not in repaired]
        # A sentence that cites is checked even if it is no claim; the content of a table is never removed.
        cited = [statement for statement in left if statement.numbers and not statement.claim]
        if any(is_failing(self.checks_of(statement.index)) for statement in cited):
            return []
        claims = [statement for statement in left if statement.claim]
        supported = [claim for claim in claims if self.states[claim.index] is SentenceStatus.SUPPORTED]
        refuted = [claim for claim in claims if claim not in supported and self.states[claim.index] not in doubtful]
        if any(claim.numbers or self._is_in_table(claim) for claim in refuted):
            return []
        return [claim.text for claim in supported] if any(claim.numbers for claim in supported) else []

    def gaps(self) -> list[str]:
        """S2.3: the statements that lack support, each once."""
        texts = (statement.text for statement in self.statements if self.states[statement.index] in _OPEN)
        return list({same_words(text): text for text in texts}.values())[:_MOST_GAPS]


def findings_of(
    draft: str,
    said: Sequence[Statement],
    verdicts: Verdicts,
    joint: JointVerdicts,
    threshold: float,
    *,
    unasked: bool = False,
) -> Findings:
    """Return the findings about each statement of `draft` from the `verdicts`; a judgement counts from confidence
    `threshold` on.

    The `joint` verdicts replace those on single sources.
    """
    merged = {
        (index, number): joint.get((index, number), verdict) if number else verdict
        for (index, number), verdict in verdicts.items()
    }
    checks: dict[int, list[PairVerdict]] = {}
    for (index, _), verdict in merged.items():
        checks.setdefault(index, []).append(verdict)
    states = {
        statement.index: sentence_status(statement.claim, checks.get(statement.index, []), threshold)
        for statement in said
    }
    score = None if unasked else confidence(list(states.values()))
    return Findings(draft, said, merged, states, score, checks, unasked)


def read_verdict(number: int | None, check: Checked | None) -> PairVerdict:
    """Return the verdict of a stored check on source `number`; None is a check that left no result."""
    if check is None:
        return PairVerdict.not_checked(number, "the check left no result")
    if check["verdict"] is None:
        return PairVerdict.not_checked(number, check.get("reason", ""))
    return PairVerdict.from_json(number, check["verdict"])


def open_statements(findings: Findings, threshold: float) -> list[Statement]:
    """Return the claims that no single source supports although all of their sources were checked."""
    open_claims: list[Statement] = []
    for statement in findings.statements:
        checks = findings.checks_of(statement.index)
        asked = statement.claim and len(checks) > 1 and all(check.status == "checked" for check in checks)
        if asked and not any(check.verdict(threshold) is Verdict.ACCURATE for check in checks):
            open_claims.append(statement)
    return open_claims


async def judge_jointly(judge: JudgeModel, open_claims: Sequence[Statement], sources: Sources) -> JointVerdicts:
    """Return the verdicts that replace those on single sources.

    `sources` are all that the answer can cite: number N is `sources[N - 1]`.
    """
    distinct = {(same_words(claim.text), claim.numbers): claim for claim in open_claims}
    cited = [
        Sources(sources[number - 1] for number in claim.numbers if 1 <= number <= len(sources))
        for claim in distinct.values()
    ]
    judged = await asyncio.gather(*(_judge(judge, *pair) for pair in zip(distinct.values(), cited, strict=True)))
    by_words = dict(zip(distinct, judged, strict=True))
    return {
        (claim.index, number): verdict
        for claim in open_claims
        for number, verdict in by_words[same_words(claim.text), claim.numbers].items()
    }


async def _judge(judge: JudgeModel, statement: Statement, cited: Sources) -> Mapping[int, PairVerdict]:
    """Return the verdicts by the number of their source; none if the sources together decide nothing."""
    cited = Sources(cited[:MOST_SOURCES])
    texts, contexts = [source.text for source in cited], [source.context for source in cited]
    is_read = unread_language(statement.text, texts) is None
    content = content_of(statement.text, cited)
    joint = await asyncio.to_thread(find_joint_support, content, texts, contexts) if is_read else None
    item = f"s{statement.index}:together"
    if joint and joint.complete:
        fields = {"sources": _shown(joint, cited), "statement": statement.text}
        reply = await judge.ask(CHECK_STATEMENT, fields, item=item)
        if isinstance(reply, Failure):
            return {}
        rulings = joint_rulings(joint, reply, range(len(cited)))
    else:
        checked = await judge_statement(judge, statement.text, cited, item=item)
        rulings = rulings_on_whole(statement.text, texts, read_verdict(None, checked))
        if joint and not rulings:
            rulings = joint_rulings(joint, None, range(len(cited)))
    return {
        number: PairVerdict.from_ruling(number, ruling, [] if ruling.supports else [ruling.explanation])
        for number, ruling in ((cited[place].number, ruling) for place, ruling in rulings.items())
    }


def _shown(joint: JointSupport, cited: Sources) -> Sources:
    if sum(len(source.text) for source in cited) <= WINDOW_CHARS:
        return cited
    shown: list[Source] = []
    for place, source in enumerate(cited):
        parts = joint.of_source(place)
        length = WINDOW_CHARS // len(cited) // max(1, len(parts))
        starts = [max(0, part.evidence[place].start - length // 3) for part in parts] or [0]
        text = " … ".join(source.text[start : start + length] for start in starts)
        shown.append(replace(source, text=text))
    return Sources(shown)
