"""Rerankers other than language models: a local cross-encoder, or an endpoint (S1.1).

No runtime is imported before a cross-encoder is configured, so Citewell also runs without the extras.
"""

from clients.reranking.factory import make_reranker
from clients.reranking.protocol import Reranker, RerankFailed

__all__ = ["RerankFailed", "Reranker", "make_reranker"]
