"""Schemas of the material that questions are asked about: documents, archives of documents, workspaces."""
