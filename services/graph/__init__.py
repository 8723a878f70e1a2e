"""The knowledge graph: merges entities, and finds passages by the names in a question.

Imports `services.core`; retrieval and the ingestion of documents import it.
"""
