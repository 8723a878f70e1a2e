"""From checks to verdicts, scores and a calibrated confidence.

Imports `domain.evidence`, `domain.support` and `domain.answers`; corrections, audits and metrics import it.
"""
