"""Divides English and Korean text into words and sentences, with their places.

Imports `domain.markers` only; every other package may import it.
"""
