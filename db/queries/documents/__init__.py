"""Statements about documents: versions, chunks, vectors, imports, and the building of their graphs."""
