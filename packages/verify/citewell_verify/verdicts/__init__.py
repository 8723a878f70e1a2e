"""Derives verdicts, scores and a calibrated confidence from checks.

Imports `citewell_verify.evidence`, `citewell_verify.support` and `domain.answers`; corrections, audits and metrics
import it.
"""
