"""What is asked of models: prompts, the schemas of replies, and how passages are shown.

Imports `domain.safety`; the packages that use replies import it.
"""
