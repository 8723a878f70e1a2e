"""Numbers, units, dates and names: the values that a sentence states, read from its text.

Imports `domain.text`; every package above may import it.
"""
