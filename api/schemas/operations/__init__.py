"""Schemas of the installation: health, keys, quality, webhooks."""
