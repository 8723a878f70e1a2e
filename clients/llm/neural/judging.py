"""A classifier's veto on "supported": a second look at the pair by a model trained for nothing else (S5.4).

Entailment models see swapped roles, negations and directions that neither words nor a language model reliably see, and
score few faithful statements far below their threshold. As one vote among several they would be outvoted, so they have
a veto. They cannot raise a verdict: they confuse similarity with support.
"""

from collections.abc import Collection

from citewell_verify.evidence.contradictions import without_markers
from citewell_verify.prompting.judgements import StatementCheck
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.text.languages import language_of
from clients.llm.neural.classifier import PairClassifier
from clients.llm.neural.windows import StatementTooLong, windows
from clients.llm.protocol import ModelRefused

VETO_BELOW = 0.3
"""A lower probability of support lowers a verdict; at 0.3 the veto removes no additional faithful statements."""

VETOED_CONFIDENCE = 0.5
"""The most confidence of a vetoed "supported": it is uncertain, so the statement is not removed because of it."""


def vetoed(
    check: StatementCheck, statement: str, sources: Sources, classifier: PairClassifier, languages: Collection[str]
) -> StatementCheck:
    """The `check`, lowered to partly supported if the classifier gives every source less than 0.3.

    Only a verdict of "supported" can be vetoed, and only in the classifier's own `languages`. Raises ModelError.
    """
    plain = " ".join(without_markers(statement).split())
    texts = [source.text for source in sources if language_of(source.text) in languages]
    if not (check.is_accurate and any(map(str.isalpha, plain)) and texts) or language_of(plain) not in languages:
        return check
    parts = [text[start:end] for text in texts for start, end in _windows(text, plain, classifier)]
    best = max(classifier.score([(part, plain) for part in parts]), default=0.0)
    if best >= VETO_BELOW:
        return check
    why = f"{classifier.name} gives {best:.2f} that a source says so"
    return check.model_copy(
        update={
            "differences": [*check.differences, why],
            "explanation": f"{check.explanation} (but {why})".strip(),
            "relation": "partially_supports",
            "is_accurate": False,
            "confidence": min(check.confidence, VETOED_CONFIDENCE),
        }
    )


def _windows(text: str, statement: str, classifier: PairClassifier) -> list[tuple[int, int]]:
    try:
        return windows(text, lambda part: classifier.size(part, statement), classifier.max_tokens)
    except StatementTooLong:
        raise ModelRefused(
            f"the statement has {classifier.size('', statement)} tokens and leaves no room for its source: "
            f"{classifier.name} reads {classifier.max_tokens} at once"
        ) from None
