"""Request and response formats of rerank endpoints.

Cohere, Jina and vLLM take `documents` and return `{"results": [{"index", "relevance_score"}]}`; Text Embeddings
Inference takes `texts` and returns `[{"index", "score"}]`.
"""

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal, cast

from clients.llm.protocol import ModelReplyInvalid

Scale = Literal["auto", "probabilities", "logits"]
"""The kind of an endpoint's numbers. `auto` means probabilities until one lies outside 0..1."""

_ROUNDING = 1e-3  # half precision gives 1.0005 for 1


def documents_body(model: str | None, question: str, texts: Sequence[str]) -> dict[str, Any]:
    body = {"query": question, "documents": list(texts), "top_n": len(texts), "return_documents": False}
    return {"model": model, **body} if model else body


def texts_body(question: str, texts: Sequence[str]) -> dict[str, Any]:
    return {"query": question, "texts": list(texts), "truncate": True}


def read_scores(content: bytes, count: int) -> list[float | None]:
    """The number for each of `count` texts; None if the reply has none, several, or a non-number.

    Raises ModelReplyInvalid when the reply is no list of results.
    """
    try:
        reply: Any = json.loads(content)
    except (ValueError, RecursionError):
        raise ModelReplyInvalid("the reply is no JSON") from None
    results = cast("dict[str, Any]", reply).get("results") if isinstance(reply, dict) else reply
    if not isinstance(results, list):
        raise ModelReplyInvalid("the reply has no list of results")
    scores: dict[int, list[float | None]] = {}
    for result in cast("list[Any]", results):
        if isinstance(result, dict):
            entry = cast("dict[str, Any]", result)
            index = entry.get("index")
            # True is an int, and would count as the index of the second text.
            if type(index) is int:
                scores.setdefault(index, []).append(_number(entry.get("relevance_score", entry.get("score"))))
    # With two numbers for one text, neither can be trusted.
    return [scores[index][0] if len(scores.get(index, ())) == 1 else None for index in range(count)]


def are_logits(scores: Iterable[float | None]) -> bool:
    """True if any of them is too far outside 0..1 to be a probability."""
    return any(score is not None and not -_ROUNDING <= score <= 1 + _ROUNDING for score in scores)


def relevance(score: float | None, *, logits: bool) -> float | None:
    """The score as 0..1, logits through the logistic function; None if a probability is out of range."""
    if score is None or (not logits and are_logits([score])):
        return None
    if not logits:
        return min(1.0, max(0.0, score))
    # Of the two forms of the logistic function, this takes the one whose power cannot overflow.
    return 1 / (1 + math.exp(-score)) if score >= 0 else math.exp(score) / (1 + math.exp(score))


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
