"""Checks statements that no cited source supports alone against all the sources they cite together (V7).

It follows the checks of single pairs (S5.4); a model is asked once, when the sources together have every part.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from citewell_verify.answers.statements import Statement, same_words
from citewell_verify.judging.model import Failure, JudgeModel
from citewell_verify.judging.statement import WINDOW_CHARS, judge_statement
from citewell_verify.prompting.judgements import CHECK_STATEMENT
from citewell_verify.prompting.numbered_sources import Sources, content_of
from citewell_verify.text.languages import unread_language
from citewell_verify.verdicts.joint_support import (
    MOST_SOURCES,
    JointSupport,
    find_joint_support,
    joint_rulings,
    rulings_on_whole,
)
from citewell_verify.verdicts.states import PairVerdict, Verdict
from citewell_verify.verification.findings import Findings, JointVerdicts, read_verdict


def open_statements(findings: Findings, threshold: float) -> list[Statement]:
    """Return the claims whose every single source was checked, and none of which supports them alone."""
    return [
        statement
        for statement in findings.statements
        if _is_open(statement, findings.checks_of(statement.index), threshold)
    ]


async def judge_jointly(judge: JudgeModel, open_claims: Sequence[Statement], sources: Sources) -> JointVerdicts:
    """Return the verdicts that replace those on single sources.

    `sources` are all that the answer can cite: number N is `sources[N - 1]`.
    """
    distinct = {(same_words(claim.text), claim.numbers): claim for claim in open_claims}
    judged = await asyncio.gather(*(_judge(judge, claim, _cited(claim, sources)) for claim in distinct.values()))
    by_words = dict(zip(distinct, judged, strict=True))
    return {
        (claim.index, number): verdict
        for claim in open_claims
        for number, verdict in by_words[same_words(claim.text), claim.numbers].items()
    }


def _is_open(statement: Statement, checks: Sequence[PairVerdict], threshold: float) -> bool:
    asked = statement.claim and len(checks) > 1 and all(check.status == "checked" for check in checks)
    return asked and not any(check.verdict(threshold) is Verdict.ACCURATE for check in checks)


def _cited(statement: Statement, sources: Sources) -> Sources:
    return Sources(sources[number - 1] for number in statement.numbers if 1 <= number <= len(sources))


async def _judge(judge: JudgeModel, statement: Statement, cited: Sources) -> Mapping[int, PairVerdict]:
    """Return the verdicts by the number of their source; none where the sources together decide nothing."""
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
    width = WINDOW_CHARS // len(cited)
    return Sources(
        replace(source, text=_around(joint, place, source.text, width)) for place, source in enumerate(cited)
    )


def _around(joint: JointSupport, place: int, text: str, width: int) -> str:
    parts = joint.of_source(place)
    length = width // max(1, len(parts))
    starts = [max(0, part.evidence[place].start - length // 3) for part in parts] or [0]
    return " … ".join(text[start : start + length] for start in starts)
