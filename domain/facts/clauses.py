"""Clauses of a sentence that assert something each by itself, the ones without a subject with that of the first."""

import re
from functools import lru_cache

_COORDINATED = re.compile(r"\s*;\s*|,?\s+(?:and then|and|while|whereas|but)\s+|(?<=[으하이되]며),?\s+|(?<=[하이되았었]고),\s+|(?<=지만),?\s+")
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|do|will|would|can|could|may|might|must|should|shall)\b"
    r"|(?<=\s)[a-z]{2,}(?:ed|es|s)\b|(?<=\s)(?:began|bought|built|came|fell|found|gave|got|grew|held|kept|knew|led|left|lost|made|met|paid"
    r"|ran|rose|said|saw|sent|set|sold|spent|stood|took|told|went|won|wrote|cut|put|let|hit)\b"
)
_SUBJECT = re.compile(r"[A-Z가-힣]|(?:the|a|an|its|his|her|their|our|this|that|these|those|it|he|she|they|we)\b")
_KOREAN_SUBJECT = re.compile(r"^[^\s]+(?:\s[^\s]+)?(?:은|는|이|가|께서)\s")
_HANGUL = re.compile("[가-힣]")


@lru_cache(maxsize=4096)
def clauses(sentence: str) -> tuple[str, ...]:
    """Return the coordinated clauses of `sentence`; the sentence itself where it has one, or one cannot stand alone."""
    parts = [part for part in _COORDINATED.split(sentence) if part and part.strip()]
    if len(parts) < 2 or not all(map(_asserts, parts)):
        return (sentence,)
    subject = _subject(parts[0])
    return tuple(part if has_subject(part) or not subject else f"{subject} {part}" for part in parts)


def has_subject(clause: str) -> bool:
    """Say whether a clause begins with what it is about."""
    if _HANGUL.search(clause):
        return _KOREAN_SUBJECT.match(clause) is not None
    return _SUBJECT.match(clause) is not None


def _asserts(part: str) -> bool:
    return len(part.split()) > 1 and (_HANGUL.search(part) is not None or _VERB.search(part) is not None)


def _subject(clause: str) -> str:
    if _HANGUL.search(clause):
        found = _KOREAN_SUBJECT.match(clause)
        return found[0].strip() if found else ""
    verb = _VERB.search(clause)
    return clause[: verb.start()].strip() if verb else ""
