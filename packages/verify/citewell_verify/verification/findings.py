"""What the checks of an answer found: verdicts, states of its sentences, confidence (N4, S2.2)."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from citewell_verify.answers.statements import Statement, same_words
from citewell_verify.judging.model import Checked
from citewell_verify.verdicts.confidence import confidence
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, is_failing, sentence_status

Verdicts = Mapping[tuple[int, int | None], PairVerdict]
"""By (statement index, citation number or None), as the model wrote them."""

JointVerdicts = Mapping[tuple[int, int], PairVerdict]
"""V7: what several cited sources say together, by (statement index, number of one of them)."""

_MOST_GAPS = 8
_OPEN = (SentenceStatus.CONTRADICTED, SentenceStatus.UNSUPPORTED, SentenceStatus.PARTIAL)


@dataclass(frozen=True, slots=True)
class Findings:
    """The draft sentence by sentence; the claims of S2.1 and the facts of S1.4 follow from the same states.

    `unasked`: the request asked for nothing that needs verdicts on sentences (N2), so they say nothing about the
    answer.
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
        """N5: the statements that no source has (`is_failing`). Table rows are never repaired: half a row is worse than
        one whose state says that it failed."""
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
        """The supported claims, in order, if no sentence that cites a source lacks support; else nothing.

        What cites nothing ("I hope this helps!") is judged and removed by itself: it takes no proof from the others.
        `repaired` are the indexes of sentences that no longer are as they were; a sentence in a `doubtful` state takes
        no proof from the others either.
        """
        left = [statement for statement in self.statements if statement.index not in repaired]
        # What is no claim and cites is checked, too; what a table says is never removed.
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
    """Return what the `verdicts` say of each statement of `draft`; a judgement counts from confidence `threshold` on.

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
