"""Sources of documents: set up by their owners, run by workers, which turn what changed into documents.

Imports `services.documents`.
"""
