"""DeepEval: Citewell's verdicts as a metric, on the cases of `python -m citewell_verify --cases gate_cases.jsonl`.

    pip install deepeval ./packages/verify
    python examples/gate_deepeval.py [CASES]

No model is asked and no key is needed. The exit status is 1 if an answer fails.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "1")  # read when DeepEval is imported

from citewell_verify import verify
from citewell_verify.gate.cases import read_cases

try:
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase
except ImportError:
    sys.exit("this example needs DeepEval: pip install deepeval")


class Supported(BaseMetric):
    """The share of an answer's claims that its retrieval context says; the reason names the others."""

    include_reason = True

    def __init__(self, threshold: float = 1.0) -> None:
        self.threshold = threshold

    def measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
        """Verify one answer; one without a claim has nothing that could be wrong."""
        report = verify(test_case.actual_output, test_case.retrieval_context, test_case.input)
        self.score = 1.0 if report.supported_share is None else report.supported_share
        wrong = [sentence for sentence in report.sentences if sentence.status not in ("supported", "no_claim")]
        self.reason = "; ".join(f"{s.status}: {s.text} ({s.reason})" for s in wrong) or "every claim is supported"
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
        """The same, for DeepEval's concurrent runs."""
        return self.measure(test_case)

    @property
    def __name__(self) -> str:
        """What DeepEval calls it in its tables."""
        return "Supported"


cases = read_cases(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("gate_cases.jsonl"))
tests = [
    LLMTestCase(
        name=case.name,
        input=case.question or "",
        actual_output=case.answer,
        retrieval_context=[source.text for source in case.sources],
    )
    for case in cases
]
evaluated = evaluate(
    tests,
    [Supported()],
    async_config=AsyncConfig(run_async=False),
    display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
    cache_config=CacheConfig(write_cache=False),
)
for result in evaluated.test_results:
    (metric,) = result.metrics_data
    print(f"{'PASS' if result.success else 'FAIL'}  {result.name}: {metric.score:.2f}, {metric.reason}")
sys.exit(not all(result.success for result in evaluated.test_results))
