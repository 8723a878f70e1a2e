"""The gate's rules for answers, and the outcome of each answer with its failing sentences."""

import asyncio
import os
import time
from collections.abc import Collection, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from citewell_verify.errors import CitewellError, VerificationInvalid
from citewell_verify.gate.cases import Case
from citewell_verify.judges import Judge
from citewell_verify.pipeline import verify, verify_async
from citewell_verify.verdicts.report import Report, ReportedSentence
from citewell_verify.verdicts.states import SentenceStatus

FAILING = frozenset(SentenceStatus) - {SentenceStatus.SUPPORTED, SentenceStatus.NO_CLAIM}
"""The states that fail if none is named."""


def states_named(text: str) -> frozenset[SentenceStatus]:
    """Read a list such as `contradicted,unsupported`. Raises VerificationInvalid for a state that does not exist."""
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
        """The sentences for which the answer fails; if its share is too small, all sentences that are not supported."""
        states = set(self.fail_on)
        if self.is_below(report) or (self.fail_under is None and not self.fail_on):
            states |= FAILING
        return tuple(sentence for sentence in report.sentences if sentence.status in states)

    def is_below(self, report: Report) -> bool:
        """True if too few of the answer's claims are supported; an answer without a claim is below no share."""
        share = report.supported_share
        return self.fail_under is not None and share is not None and share < self.fail_under


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a case: `failing` are the sentences for which it fails; `problem` says why it could not be
    verified.
    """

    case: Case
    report: Report | None = None
    failing: tuple[ReportedSentence, ...] = ()
    problem: str | None = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def passed(self) -> bool:
        return self.problem is None and not self.failing

    def lines(self) -> list[str]:
        """The reasons in words for people, one line for each."""
        if self.problem is not None:
            return [self.problem]
        return [
            f"{sentence.status}: {' '.join(sentence.text.split())}"
            + (f" ({' '.join(sentence.reason.split())})" if sentence.reason else "")
            for sentence in self.failing
        ]


_AT_A_TIME = 8
"""The number of cases that wait for a model at the same time."""
_FEW = 50
"""So few cases are done before other processes would have started."""
_A_LOAD = 8


def run_cases(cases: Sequence[Case], gate: Gate, judge: Judge | None = None) -> list[Outcome]:
    """Verify all of `cases`, in their order. A case that cannot be verified has a `problem`; the others go on."""
    if judge is not None:
        return asyncio.run(_with_model(cases, gate, judge))
    processes = os.cpu_count() or 1
    if processes == 1 or len(cases) <= _FEW:
        return [_run(case, gate) for case in cases]
    with ProcessPoolExecutor(processes) as pool:
        return list(pool.map(_run, cases, [gate] * len(cases), chunksize=_A_LOAD))


def _run(case: Case, gate: Gate) -> Outcome:
    begun = time.monotonic()
    try:
        report = verify(case.answer, case.sources, case.question)
    except CitewellError as error:
        return Outcome(case, problem=error.message)
    return Outcome(case, report, gate.failing(report), seconds=time.monotonic() - begun)


async def _with_model(cases: Sequence[Case], gate: Gate, judge: Judge) -> list[Outcome]:
    places = asyncio.Semaphore(_AT_A_TIME)

    async def run(case: Case) -> Outcome:
        async with places:
            begun = time.monotonic()
            try:
                report = await verify_async(case.answer, case.sources, case.question, judge)
            except CitewellError as error:
                return Outcome(case, problem=error.message)
            return Outcome(case, report, gate.failing(report), seconds=time.monotonic() - begun)

    return list(await asyncio.gather(*map(run, cases)))


def assert_supported(
    answer: str,
    sources: Sequence[Any],
    question: str | None = None,
    *,
    judge: Judge | None = None,
    fail_under: float | None = None,
    fail_on: Collection[str] = (),
) -> Report:
    """Raise AssertionError, with the sentences and the reasons, unless `sources` support `answer`.

    `fail_under` and `fail_on` are those of `Gate`; without them every claim has to be supported. Raises
    VerificationInvalid for an answer or sources that cannot be verified.
    """
    __tracebackhide__ = True  # pytest shows the caller
    report = verify(answer, sources, question, judge)
    gate = Gate(fail_under, states_named(",".join(fail_on)))
    failing = gate.failing(report)
    if failing:
        lines = [f"{sentence.status.value}: {sentence.text} ({sentence.reason})" for sentence in failing]
        raise AssertionError("\n".join(["the sources do not support the answer:", *lines]))
    return report
