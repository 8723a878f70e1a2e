"""What passes the gate, and what of an answer does not."""

from collections.abc import Collection
from dataclasses import dataclass, field

from citewell_verify.errors import VerificationInvalid
from citewell_verify.gate.cases import Case
from citewell_verify.verdicts.report import Report, ReportedSentence
from citewell_verify.verdicts.states import SentenceStatus

FAILING = frozenset(SentenceStatus) - {SentenceStatus.SUPPORTED, SentenceStatus.NO_CLAIM}
"""The states that fail where none is named."""


def states_named(text: str) -> frozenset[SentenceStatus]:
    """Read `contradicted,unsupported`. Raises VerificationInvalid for a state that there is not."""
    known = sorted(FAILING)
    names = [name.strip() for name in text.split(",") if name.strip()]
    if unknown := [name for name in names if name not in known]:
        raise VerificationInvalid(f"There is no state {unknown[0]!r} that could fail; there are {', '.join(known)}.")
    return frozenset(map(SentenceStatus, names))


@dataclass(frozen=True, slots=True)
class Gate:
    """An answer fails with a sentence in one of the states `fail_on`, or with a smaller share of supported claims than
    `fail_under` (0 to 1). With neither, every claim has to be supported.
    """

    fail_under: float | None = None
    fail_on: Collection[SentenceStatus] = ()

    def failing(self, report: Report) -> tuple[ReportedSentence, ...]:
        """The sentences that the gate is shut for; of an answer with too small a share, all that are not supported."""
        states = set(self.fail_on)
        if self.is_below(report) or (self.fail_under is None and not self.fail_on):
            states |= FAILING
        return tuple(sentence for sentence in report.sentences if sentence.status in states)

    def is_below(self, report: Report) -> bool:
        """Whether too few of its claims are supported; an answer without a claim is below no share."""
        share = report.supported_share
        return self.fail_under is not None and share is not None and share < self.fail_under


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a case: `failing` sentences shut the gate; `problem` says why it could not be verified."""

    case: Case
    report: Report | None = None
    failing: tuple[ReportedSentence, ...] = ()
    problem: str | None = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def passed(self) -> bool:
        return self.problem is None and not self.failing

    def lines(self) -> list[str]:
        """The reasons for a person, a line each."""
        if self.problem is not None:
            return [self.problem]
        return [f"{sentence.status}: {' '.join(sentence.text.split())}{_why(sentence)}" for sentence in self.failing]


def _why(sentence: ReportedSentence) -> str:
    return f" ({' '.join(sentence.reason.split())})" if sentence.reason else ""
