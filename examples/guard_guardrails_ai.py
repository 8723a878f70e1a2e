"""Guardrails AI: a validator that corrects an answer by its sources.

    pip install guardrails-ai
    citewell up                                (in another terminal)
    python examples/guard_guardrails_ai.py

CITEWELL_URL names another server, CITEWELL_API_KEY is sent when it is set.
"""

import sys

from rag_verification import verify

try:
    from guardrails import Guard
    from guardrails.validator_base import FailResult, PassResult, Validator, register_validator
except ImportError:
    sys.exit("this example needs Guardrails AI: pip install guardrails-ai")


@register_validator(name="citewell/supported", data_type="string")
class Supported(Validator):
    """Passes when the `sources` of the metadata say every sentence; the fix is the answer without the others."""

    def validate(self, value: str, metadata: dict) -> PassResult | FailResult:
        """Verify one answer. A check that fails raises, so nothing passes."""
        result = verify({"answer": value, "sources": [{"text": text} for text in metadata["sources"]]})
        wrong = [s for s in result["sentences"] if s["status"] not in ("supported", "no_claim")]
        if not wrong:
            return PassResult()
        kept = [s["text"] for s in result["sentences"] if s not in wrong]
        reasons = "; ".join(f"{s['text']} ({s['status']}: {s['reason']})" for s in wrong)
        return FailResult(error_message=reasons, fix_value=" ".join(kept) or "I don't know based on the documents.")


POLICY = "All returns must be made within 30 days of the purchase date. A receipt is required for every return."
ANSWER = "Returns must be made within 60 days. A receipt is required."  # wrong on purpose
outcome = Guard().use(Supported(on_fail="fix")).parse(ANSWER, metadata={"sources": [POLICY]})
print("said:    ", ANSWER)
print("let out: ", outcome.validated_output)
