"""The judge without a model: words, numbers, negations and embeddings, with weights fitted on public data."""
