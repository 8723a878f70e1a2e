"""Answers as JSON objects: a caller's JSON Schema is read into fields, and an object is built from their values.

Imports `citewell_verify.entities`; `domain.query` and the services import it.
"""
