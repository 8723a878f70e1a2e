"""The checks of one round: statements, streamed sentences, citations, and what the round found.

Imports `services.judging` and `services.core`; reports, corrections and generation import it.
"""
