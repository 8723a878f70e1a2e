"""Writes the answer from the passages, shows it while it is written, and extracts its citations.

Imports `services.verification` and `services.core`.
"""
