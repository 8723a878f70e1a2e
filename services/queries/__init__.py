"""Questions: accepted or refused, restated, cancelled, retried, and their results as JSON.

Imports `services.finishing`, `services.retrieval` and the packages below them.
"""
