"""Of the installation: health, keys, quality, webhooks."""
