"""Single judgements of a model: a statement, several at once, the relevance of a passage, the whole answer.

Imports `services.core`; the packages that plan checks import it.
"""
