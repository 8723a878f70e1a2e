"""Rerankers that are no language model: a cross-encoder on this machine, or an endpoint (S1.1).

Nothing here imports a runtime before a cross-encoder is configured: without the extras Citewell runs as it always did.
"""

from clients.reranking.factory import make_reranker
from clients.reranking.protocol import Reranker, RerankFailed

__all__ = ["RerankFailed", "Reranker", "make_reranker"]
