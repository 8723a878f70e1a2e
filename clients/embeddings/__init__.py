"""Embeddings: texts as vectors whose cosine measures similarity of meaning."""

from clients.embeddings.factory import configured_embedder, embedder_of
from clients.embeddings.protocol import Embedder, Encoder, Vectors
from clients.embeddings.wheel import UseEmbedder, default_embedder

__all__ = [
    "Embedder",
    "Encoder",
    "UseEmbedder",
    "Vectors",
    "configured_embedder",
    "default_embedder",
    "embedder_of",
]
