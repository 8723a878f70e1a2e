"""Common parts of all steps: their context, the ledger of model calls, stored replies, and the version of the verifier.

Imports no other package of the services; all others may import it.
"""
