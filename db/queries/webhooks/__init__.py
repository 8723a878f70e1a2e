"""Statements about webhooks: endpoints, messages and deliveries."""
