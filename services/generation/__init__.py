"""The answer written from the passages, shown while it is written, and the citations extracted beside it.

Imports `services.verification` and `services.core`.
"""
