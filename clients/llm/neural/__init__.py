"""An optional judge of statements: any classifier of (source, statement) pairs, from a folder or the hub's cache.

Nothing here imports a runtime before a judge is configured: without the extras Citewell runs as it always did.
"""

from clients.llm.neural.classifier import PairClassifier
from clients.llm.neural.model import NeuralJudge
from clients.llm.neural.opening import open_classifier

__all__ = ["NeuralJudge", "PairClassifier", "open_classifier"]
