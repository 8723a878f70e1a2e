"""Embeddings: texts as vectors whose cosine measures similarity of meaning.

The configured model is made in `clients.embeddings.factory`: only that needs settings.
"""

from clients.embeddings.protocol import Embedder, Encoder, Vectors
from clients.embeddings.wheel import UseEmbedder, default_embedder

__all__ = [
    "Embedder",
    "Encoder",
    "UseEmbedder",
    "Vectors",
    "default_embedder",
]
