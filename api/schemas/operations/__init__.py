"""Schemas of the installation: health, keys, model servers, people, quality, webhooks."""
