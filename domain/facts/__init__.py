"""Facts compared as facts: who or what, which value, asserted how, in a sentence of a statement and of its source.

`comparing.differences` is the entry. Everything here is pure and reads each sentence once;
`domain.evidence.contradictions` turns what is found into the kinds that users see (V1-V4).
"""
