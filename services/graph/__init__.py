"""The knowledge graph: entities merged, and passages found by what a question names.

Imports `services.core`; retrieval and the ingestion of documents import it.
"""
