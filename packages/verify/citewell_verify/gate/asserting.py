"""`assert_supported`, for tests of answers."""

from collections.abc import Collection, Sequence
from typing import Any

from citewell_verify.gate.outcome import Gate, states_named
from citewell_verify.judges import Judge
from citewell_verify.pipeline import verify
from citewell_verify.verdicts.report import Report


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
