"""An answer read into sentences, citations and claims, also while it is still being written.

Imports `domain.query`, `domain.text` and `domain.markers`; verdicts and corrections import it.
"""
