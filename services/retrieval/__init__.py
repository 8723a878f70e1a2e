"""Passages for a question: searched, ranked, and in agentic runs searched for again.

Imports `services.graph`, `services.judging` and `services.core`.
"""
