"""One statement against its sources, by a classifier and by what can be computed together (S5.4)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from clients.llm.neural.classifier import PairClassifier
from clients.llm.neural.windows import StatementTooLong, windows
from clients.llm.offline.judging import Judged, differences, judge_against
from clients.llm.offline.meaning import Meaning
from clients.llm.protocol import ModelRefused
from domain.disagreements import without_markers
from domain.judgements import Relation, StatementCheck
from domain.sentences import split_sentences
from domain.sources import Source, Sources
from domain.words import content_stems, coverage

# Further out a probability says nothing more: a softmax that is all but 1 must not outvote every other sign.
_SUREST = 0.999
_SAME_MATTER = 0.5  # share of the statement's words from which a source is about the same matter


@dataclass(frozen=True, slots=True)
class _Against:
    """The statement against one source: `neural` of its best window (a part of the source's text), and `support`."""

    source: Source
    judged: Judged
    neural: float
    window: str
    support: float

    @property
    def supported(self) -> bool:
        """A disagreement beats any score."""
        return self.support >= 0.5 and not self.judged.disagreements


def check_statement(
    statement: str, sources: Sources, classifier: PairClassifier, meaning: Meaning, weight: float
) -> StatementCheck:
    """Judge the statement against the source that supports it best; `weight`, 0..1, is the classifier's.

    Raises ModelError.
    """
    plain = " ".join(without_markers(statement).split())
    if not plain:
        raise ModelRefused("there is no statement to judge")
    if not sources:
        return StatementCheck(
            evidence="",
            explanation="there is no source",
            relation="does_not_mention",
            is_accurate=False,
            confidence=1.0,
        )
    cut = [_windows(source.text, plain, classifier) for source in sources]
    scores = iter(classifier.score([(window, plain) for parts in cut for window in parts]))
    scored = [[(next(scores), window) for window in parts] for parts in cut]
    found = [_against(plain, *each, meaning, weight) for each in zip(sources, scored, strict=True)]
    best = max(found, key=lambda each: each.support)
    return StatementCheck(
        evidence=_evidence(plain, best),
        differences=[] if best.supported else differences(best.judged),
        explanation=_explanation(best, classifier.name),
        relation=_relation(best),
        is_accurate=best.supported,
        confidence=round(max(best.support, 1 - best.support), 3),
    )


def combined(neural: float, lexical: float, weight: float) -> float:
    """Return the probability whose logit is the weighted mean of the two logits; `weight` is that of `neural`."""
    mean = weight * _logit(neural) + (1 - weight) * _logit(lexical)
    return 1 / (1 + math.exp(-mean))


def _logit(probability: float) -> float:
    bounded = min(_SUREST, max(1 - _SUREST, probability))
    return math.log(bounded / (1 - bounded))


def _windows(text: str, statement: str, classifier: PairClassifier) -> list[str]:
    try:
        spans = windows(text, lambda part: classifier.size(part, statement), classifier.max_tokens)
    except StatementTooLong:
        raise ModelRefused(
            f"the statement has {classifier.size('', statement)} tokens and leaves no room for its source: "
            f"{classifier.name} reads {classifier.max_tokens} at once"
        ) from None
    return [text[start:end] for start, end in spans]


def _against(
    statement: str, source: Source, scored: Sequence[tuple[float, str]], meaning: Meaning, weight: float
) -> _Against:
    judged = judge_against(statement, Sources([source]), meaning)
    neural, window = max(scored, key=lambda each: each[0], default=(0.0, ""))
    support = combined(neural, judged.support, weight)
    if judged.disagreements:
        support = min(support, judged.support)
    return _Against(source, judged, neural, window, support)


def _relation(best: _Against) -> Relation:
    if any(each.source_value or each.kind == "negation" for each in best.judged.disagreements):
        return "contradicts"
    if best.supported:
        return "supports"
    return "partially_supports" if best.judged.overlap >= _SAME_MATTER else "does_not_mention"


def _evidence(statement: str, best: _Against) -> str:
    """Return words of the source as they stand there: the deciding sentence, or the window if none shares a word."""
    if best.judged.disagreements:
        # The offline judge reads the source with its markers blanked out; all places are the same.
        start = without_markers(best.source.text).find(best.judged.evidence)
        return best.source.text[start : start + len(best.judged.evidence)] if start >= 0 else ""
    if not best.supported:
        return ""
    wanted = content_stems(statement)
    sentences = [sentence.text for sentence in split_sentences(best.window)]
    shares = [coverage(wanted, set(content_stems(sentence))) for sentence in sentences]
    return sentences[shares.index(max(shares))] if any(shares) else best.window


def _explanation(best: _Against, name: str) -> str:
    scores = f"{name} gives {best.neural:.2f}, words and meaning {best.judged.support:.2f}, together {best.support:.2f}"
    return "; ".join([*(each.message for each in best.judged.disagreements), scores])
