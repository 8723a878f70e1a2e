"""Evidence for a claim in the text of a source, and what contradicts the claim; found without a model.

Imports `domain.facts` and what is below it; `domain.verdicts` decides with it.
"""
