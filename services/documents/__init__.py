"""Documents: accepted, imported, ingested, embedded again, and their graphs built.

Imports `services.webhooks`, `services.graph` and `services.core`.
"""
