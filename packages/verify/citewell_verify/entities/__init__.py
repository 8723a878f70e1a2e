"""Finds the numbers, units, dates and names in a text.

Imports `citewell_verify.text`; every package above may import it.
"""
