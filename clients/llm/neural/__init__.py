"""An optional judge of statements: any classifier of (source, statement) pairs, from a folder or the hub's cache.

No runtime is imported before a judge is configured, so Citewell also runs without the extras.
"""

from clients.llm.neural.classifier import PairClassifier
from clients.llm.neural.model import NeuralJudge
from clients.llm.neural.opening import open_classifier

__all__ = ["NeuralJudge", "PairClassifier", "open_classifier"]
