"""What sdk/javascript/test/journey.js gives, in Node and in a browser."""

from typing import Any

POLICY = "Customers may return a product within 30 days of the purchase date."
EXPECTED: dict[str, Any] = {
    "upload": ["ready", "ready"],
    "documents": ["policy.md"],
    "text": "Customers may",
    "original": f"{POLICY}\n",
    "answer": f"{POLICY} [1]",
    "citation": POLICY,
    "sentences": [[POLICY, "accurate"]],
    "streamed": ["succeeded", True, "string"],
    "events": [True, "final"],
    "queries": 1,
    "export": True,
    "conversation": [f"{POLICY} [1]", 1],
    "renamed": "Returns",
    "deleted": None,
    "workspaces": True,
    "gone": True,
    "verification": ["contradicted", f"{POLICY} [1]"],
    "batch": [["a", "succeeded"]],
    "feedback": "up",
    "shared": True,
    "unknown": [True, "query_not_found"],
    "refused": [True, "mode_unknown"],
    "aborted": [True, "AbortError"],
}
