"""Verification of an answer as one function, `verify`: it needs no server, database, key or settings."""
