"""Words and sentences of a text, English and Korean, and where they stand in it.

Imports `domain.markers` only; every other package may import it.
"""
