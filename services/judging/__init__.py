"""The relevance of passages, and whether a whole answer answers its question; statements are judged in the library.

Imports `services.core`; the packages that plan checks import it.
"""
