"""Verification as one function, `verify`: it needs no server, database, key or settings.

Imports every room that verifies an answer; no other room imports it.
"""

from domain.verdicts.report import Report, ReportedSentence, SourceSpan
from services.standalone.judges import Judge
from services.standalone.verification import GivenText, verify, verify_async

__all__ = ["GivenText", "Judge", "Report", "ReportedSentence", "SourceSpan", "verify", "verify_async"]
