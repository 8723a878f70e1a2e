"""Webhooks: the events, the body of a message, and the schedule of its attempts.

Imports `domain.errors` only.
"""
