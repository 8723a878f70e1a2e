"""For operators: metrics, readiness, API keys, worker processes and parked work.

Imports `services.quality` only.
"""
