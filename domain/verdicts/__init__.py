"""Derives verdicts, scores and a calibrated confidence from checks.

Imports `domain.evidence`, `domain.support` and `domain.answers`; corrections, audits and metrics import it.
"""
