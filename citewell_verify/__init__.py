"""Verification of an answer as one function, `verify`: it needs no server, database, key or settings.

It runs the steps of the server in memory, so that both give the same verdicts. Nothing of the server imports it.
"""

from citewell_verify.judges import Judge
from citewell_verify.verification import GivenText, verify, verify_async
from domain.verdicts.report import Report, ReportedSentence, SourceSpan

__all__ = ["GivenText", "Judge", "Report", "ReportedSentence", "SourceSpan", "verify", "verify_async"]
