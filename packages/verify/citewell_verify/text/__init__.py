"""Divides English and Korean text into words and sentences, with their places.

Imports `citewell_verify.markers` only; every other package may import it.
"""
