"""The checks of one round: statements, streamed sentences, citations, and their collected results.

Imports `services.judging` and `services.core`; reports, corrections and generation import it.
"""
