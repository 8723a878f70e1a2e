"""promptfoo: its cases and its assertion, both from Citewell; see gate_promptfoo.yaml."""

import os
from pathlib import Path
from typing import Any

from citewell_verify import verify
from citewell_verify.gate.cases import read_cases


def create_tests(_: object = None) -> list[dict[str, Any]]:
    """The cases of `python -m citewell_verify --cases`, from $CASES, as promptfoo's tests."""
    path = Path(os.environ.get("CASES") or Path(__file__).with_name("gate_cases.jsonl"))
    return [
        {
            "description": case.name,
            "vars": {"question": case.question, "answer": case.answer},
            # Beside the variables, of which promptfoo would make a test for each source.
            "metadata": {"sources": [source.text for source in case.sources]},
        }
        for case in read_cases(path)
    ]


def get_assert(output: str, context: dict[str, Any]) -> dict[str, Any]:
    """promptfoo's grading of one answer: the share of its claims that the sources say."""
    report = verify(output, context["test"]["metadata"]["sources"], context["vars"].get("question"))
    wrong = [sentence for sentence in report.sentences if sentence.status not in ("supported", "no_claim")]
    reason = "; ".join(f"{s.status}: {s.text} ({s.reason})" for s in wrong) or "every claim is supported"
    score = 1.0 if report.supported_share is None else report.supported_share
    return {"pass": not wrong, "score": score, "reason": reason}
