"""Statements about tenants, API keys, workspaces and idempotency keys."""
