"""Documents as they are stored: formats, metadata, chunks, and the knowledge graph over them.

Imports `citewell_verify.prompting`, `citewell_verify.entities` and `citewell_verify.text`; `citewell_verify.facts` and
above may import it.
"""
