"""Finds evidence for a claim in the text of a source, and contradictions of the claim, without a model.

Imports `citewell_verify.facts` and the packages below it; `citewell_verify.verdicts` decides with it.
"""
