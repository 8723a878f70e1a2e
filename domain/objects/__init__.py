"""Answers as JSON objects: a caller's JSON Schema read into fields, and an object built from what the fields hold.

Imports `citewell_verify.entities`; `domain.query` and the services import it.
"""
