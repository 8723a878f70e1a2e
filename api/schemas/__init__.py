"""The JSON of the HTTP API: a module per subject, in rooms that `tools/wire.py` reads.

The client's types are made from all rooms but `formats`.
"""
