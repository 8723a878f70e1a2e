"""Finds the numbers, units, dates and names in a text.

Imports `domain.text`; every package above may import it.
"""
