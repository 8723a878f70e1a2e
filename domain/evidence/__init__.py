"""Finds evidence for a claim in the text of a source, and contradictions of the claim, without a model.

Imports `domain.facts` and the packages below it; `domain.verdicts` decides with it.
"""
