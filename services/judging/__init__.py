"""Judges the relevance of passages, and whether a whole answer answers its question; the library judges statements.

Imports `services.core`; the packages that plan checks import it.
"""
