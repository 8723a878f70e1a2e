"""Verification of an answer as one function, `verify`: it needs no server, database, key or settings."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citewell_verify.gate.outcome import assert_supported
    from citewell_verify.judges import ChatJudge, Judge
    from citewell_verify.pipeline import GivenText, verify, verify_async
    from citewell_verify.verdicts.report import Report, ReportedSentence, SourceSpan

__all__ = [
    "ChatJudge",
    "GivenText",
    "Judge",
    "Report",
    "ReportedSentence",
    "SourceSpan",
    "assert_supported",
    "verify",
    "verify_async",
]

_HOMES = {
    "assert_supported": "citewell_verify.gate.outcome",
    **dict.fromkeys(("ChatJudge", "Judge"), "citewell_verify.judges"),
    **dict.fromkeys(("GivenText", "verify", "verify_async"), "citewell_verify.pipeline"),
    **dict.fromkeys(("Report", "ReportedSentence", "SourceSpan"), "citewell_verify.verdicts.report"),
}


def __getattr__(name: str) -> Any:
    # Names are imported when they are asked for: a program that only needs sentences loads neither vectors nor weights.
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
