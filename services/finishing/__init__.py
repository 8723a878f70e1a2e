"""The end of a query: its final state, its sealed audit, and the later validity of its answer.

Imports `services.webhooks` and `services.reporting`.
"""
