"""Sources of documents: their owners set them up, and workers turn changed items into documents.

Imports `services.documents`.
"""
