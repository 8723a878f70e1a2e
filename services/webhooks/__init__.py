"""Webhooks: the outbox, endpoints, delivery attempts and their log.

Imports `services.reporting`; whatever ends work for a user imports it.
"""
