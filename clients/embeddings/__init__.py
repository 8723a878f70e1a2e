"""The configured embedding models: the built-in one of `citewell_verify.embeddings`, or an endpoint."""
