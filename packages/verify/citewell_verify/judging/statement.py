"""Judges one statement against its sources: the model's reply is checked against what the sources really say.

All judgements of statements go through here: the checks of an answer, repairs, evaluation.
"""

from dataclasses import replace

from citewell_verify.evidence.spans import claim_relevance
from citewell_verify.judging.model import Checked, Failure, JudgeModel
from citewell_verify.judging.second_look import FirstLook, looked_again
from citewell_verify.prompting.judgements import CHECK_STATEMENT, StatementCheck
from citewell_verify.prompting.numbered_sources import Sources, content_of
from citewell_verify.text.sentences import LONGEST_SENTENCE
from citewell_verify.text.windows import windows
from citewell_verify.verdicts.ruling import Grounds, Ruling
from citewell_verify.verdicts.states import CONFIDENCE_THRESHOLD

WINDOW_CHARS = 12_000
"""The characters of sources per call, about 3,000 tokens: judges read the middle of longer texts badly."""
_OVERLAP_CHARS = 800
_TOO_LONG = f"the statement has more than {LONGEST_SENTENCE:,} characters, too many to be checked at once"

_WEIGHT = {"supports": 3, "contradicts": 2, "partially_supports": 1, "does_not_mention": 0}
_SURE_CONTRADICTION = 4


async def judge_statement(judge: JudgeModel, statement: str, sources: Sources, *, item: str = "") -> Checked:
    """Return whether the `sources` say the `statement` (S5.4); the verdict is `citewell_verify.verdicts.ruling.Ruling`
    as JSON.

    The same model is asked again about what the rules doubt in its reply (`citewell_verify.judging.second_look`).
    Long sources are shown in windows, likeliest first, until one surely supports the statement: nothing is cut. If a
    window could not be judged and no other supports it, the statement is `not_checked` (N4). So is one longer than any
    sentence, such as code, because the cost of comparing grows with its length.
    """
    if len(statement) > LONGEST_SENTENCE:
        return Checked(status="not_checked", verdict=None, reason=_TOO_LONG)
    rulings: list[tuple[Ruling, StatementCheck]] = []
    failures: list[str] = []
    # Compare with the whole sources: what one window lacks may be in another.
    content = content_of(statement, sources)
    grounds = Grounds.of(content, [source.text for source in sources], [source.context for source in sources])
    for shown in _windowed(statement, sources):
        reply = await judge.ask(CHECK_STATEMENT, {"sources": shown, "statement": statement}, item=item)
        if isinstance(reply, Failure):
            failures.append(reply.reason)
            continue
        (ruling,) = await looked_again(judge, [FirstLook(item, grounds, shown, grounds.rule(reply))])
        rulings.append((ruling, reply))
        if _is_conclusive(rulings[-1][0]):
            break
    if not rulings:
        return Checked(status="not_checked", verdict=None, reason=failures[0] if failures else "there is no source")
    best, replied = max(rulings, key=lambda judged: _weight(judged[0]))
    if failures and not (best.supports or _is_conclusive(best)):
        return Checked(status="not_checked", verdict=None, reason=failures[0])
    return ruled(best, replied)


def ruled(ruling: Ruling, reply: StatementCheck) -> Checked:
    if ruling.supports:
        differences: list[str] = []
    elif ruling.decided_by == "evidence" or ruling.second_look:
        differences = [ruling.explanation]
    else:
        differences = reply.differences
    return Checked(status="checked", verdict=ruling.as_json(differences))


def _is_conclusive(ruling: Ruling) -> bool:
    """Sure support needs no further window, and no further window can mend what the whole sources contradict."""
    contradicted = ruling.decided_by == "evidence" and not ruling.is_accurate
    return contradicted or (ruling.supports and ruling.confidence >= CONFIDENCE_THRESHOLD)


def _weight(ruling: Ruling) -> tuple[int, float]:
    """One supporting window is enough, but a sure contradiction in one is not outvoted by another."""
    sure = ruling.relation == "contradicts" and ruling.confidence >= CONFIDENCE_THRESHOLD
    return (_SURE_CONTRADICTION if sure else _WEIGHT[ruling.relation]), ruling.confidence


def _windowed(statement: str, sources: Sources) -> list[Sources]:
    """All sources for one prompt if they fit; else windows, those that share most words with the statement first."""
    if sum(len(source.text) for source in sources) <= WINDOW_CHARS:
        return [sources] if sources else []
    parts = [
        Sources([replace(source, text=source.text[start:end])])
        for source in sources
        for start, end in windows(source.text, WINDOW_CHARS, _OVERLAP_CHARS)
    ]
    return sorted(parts, key=lambda part: -claim_relevance(statement, part[0].text))
