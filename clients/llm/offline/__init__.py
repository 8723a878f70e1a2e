"""The model without key or network: extracts, and judges by words, numbers, negations and embeddings."""

from clients.llm.offline.model import OfflineModel

__all__ = ["OfflineModel"]
