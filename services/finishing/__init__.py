"""The end of a query: its final state, its sealed audit, and whether its answer still holds.

Imports `services.webhooks` and `services.reporting`.
"""
