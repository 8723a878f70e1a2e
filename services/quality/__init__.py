"""Quality metrics over answers: counted, read from the history, and over time.

Imports `services.core`.
"""
