"""Fits the weights that the offline verifier ships with, and measures them on data that it has not seen."""
