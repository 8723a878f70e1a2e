"""Documents as they are stored: formats, metadata, chunks, and the knowledge graph over them.

Imports `domain.prompting`, `domain.entities` and `domain.text`; `domain.facts` and above may import it.
"""
