"""Converts a classifier's output to the probability that the source supports the statement."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clients.llm.neural.purpose import Purpose
from clients.llm.protocol import ModelRefused
from config.settings import ConfigurationInvalid

# Matches whole names, so that `not_entailment`, `inconsistent` and `irrelevant` do not count.
_SUPPORTED = re.compile(r"(?:entail|support|consistent|faithful|relevan)\w*|1", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Head:
    """The `labels` in the order of the logits, and the index of the one that means "supported"."""

    labels: tuple[str, ...]
    supported: int

    def probabilities(self, logits: NDArray[np.float32]) -> list[float]:
        """P(supported) for each row of `logits`, shape (pairs, labels) or, with one label, also (pairs,).

        One logit is a logistic unit, several are a softmax. Raises ModelRefused for another shape, NaN and infinity.
        """
        rows = logits.reshape(-1, 1) if logits.ndim == 1 else logits
        if rows.ndim != 2 or rows.shape[1] != len(self.labels):
            raise ModelRefused(
                f"the model gave an output of shape {logits.shape}; its labels: {', '.join(self.labels)}"
            )
        if not np.isfinite(rows).all():
            raise ModelRefused("the model gave numbers that are none (NaN or infinity)")
        wide = rows.astype(np.float64)
        if wide.shape[1] == 1:
            # The logistic function as a softmax against 0, which cannot overflow.
            wide = np.concatenate([wide, np.zeros_like(wide)], axis=1)
            return _softmax(wide)[:, 0].tolist()
        return _softmax(wide)[:, self.supported].tolist()


def make_head(labels: Sequence[str], wanted: str | None, purpose: Purpose) -> Head:
    """The head with the label named or numbered `wanted`, else the one whose name means "supported".

    Raises ConfigurationInvalid unless exactly one label fits.
    """
    if len(labels) == 1:
        return Head(tuple(labels), 0)
    if wanted is not None:
        fitting = [index for index, label in enumerate(labels) if wanted.casefold() in (label.casefold(), str(index))]
    else:
        fitting = [index for index, label in enumerate(labels) if _SUPPORTED.fullmatch(label)]
    if len(fitting) != 1:
        names = ", ".join(map(repr, labels))
        problem = f"{wanted!r} is none of the model's labels" if wanted else "it cannot be told which label supports"
        raise ConfigurationInvalid(f"{purpose.model}: {problem}; set {purpose.label} to one of {names}")
    return Head(tuple(labels), fitting[0])


def _softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
