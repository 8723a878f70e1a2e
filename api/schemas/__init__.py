"""The JSON of the HTTP API: one module per subject, in folders that `tools/wire.py` reads.

The Python client's types are made from every folder except `formats`.
"""
