"""Divides a sentence into clauses; a clause without a subject gets that of the first one."""

import re
from functools import lru_cache

_STRONG = re.compile(
    r"(?:(?<!\s)\s++)?;\s*|(?:,|(?<!\s))\s++(?:and then|while|whereas)\s+|,\s+(?:and|but)\s+"
    r"|(?<=[으하이되]며),?\s+|(?<=[하이되았었]고),\s+|(?<=지만),?\s+"
    r"|(?<=[가-힣]고)(?<![다라냐자]고)\s+(?!있)(?=(?:[^\s,]+의\s|[^\s,]+\s(?=[^\s,]+의\s)){0,2}[^\s,]+(?:은|는|이|가)\s)"
)
_WEAK = re.compile(r"(?<!\s)\s++(?:and|but)\s+")
_QUOTE = "[\"“”'‘’(\\s]*"
_FINITE = (
    "is|are|was|were|has|have|had|does|did|do|will|would|can|could|may|might|must|should|shall|began|bought|built|came|fell|found|gave|got|grew"
    "|held|kept|knew|led|left|lost|made|met|paid|ran|rose|said|saw|sent|sold|spent|stood|took|told|went|won|wrote|cut|let|[a-z]{2,}ed"
)
VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|did|do|will|would|can|could|may|might|must|should|shall)\b"
    r"|(?<=\s)[a-z]{2,}(?:ed|es|s)\b|(?<=\s)(?:began|bought|built|came|fell|found|gave|got|grew|held|kept|knew|led|left|lost|made|met|paid"
    r"|ran|rose|said|saw|sent|set|sold|spent|stood|took|told|went|won|wrote|cut|put|let|hit)\b"
)
_CLAUSE_START = re.compile(
    rf"(?:(?:it|he|she|they|we|there)\s|(?:the|a|an|its|his|her|their|our|[\"“‘A-Z]\S*)\s(?:\S+\s){{0,3}}(?=(?:{_FINITE})\b)"
    rf"|[\"“‘]?[A-Z]\S*\s(?:[A-Z]\S*\s){{0,2}}[a-z]+s\b|(?:{_FINITE})\b)"
)
_SUBJECT = re.compile(
    _QUOTE + r"(?:[A-Z가-힣]|(?:the|a|an|its|his|her|their|our|this|that|these|those|it|he|she|they|we)\b)"
)
KOREAN_SUBJECT = re.compile(r"^(?:(?:[^\s]+\s){0,2}[^\s]+의\s)?[^\s]+(?:\s[^\s]+)?(?:은|는|이|가|께서)\s")
HANGUL = re.compile("[가-힣]")
_LONGEST = 2_000  # characters of a sentence: a longer one has no clauses, or is hostile


@lru_cache(maxsize=4096)
def clauses(sentence: str) -> tuple[str, ...]:
    """Return the coordinated clauses of `sentence`, or the sentence itself if it has one clause, or one cannot stand
    alone.

    A sentence of more than 2,000 characters is not divided.
    """
    if len(sentence) > _LONGEST:
        return (sentence,)
    parts = _split(sentence, _STRONG)
    parts = [part for strong in parts for part in (_split(strong, _WEAK) if _opens_clause(strong) else [strong])]
    if len(parts) < 2:
        return (sentence,)
    subject = subject_phrase(parts[0])
    return tuple(part if has_subject(part) or not subject else f"{subject} {part}" for part in parts)


def _split(text: str, pattern: re.Pattern[str]) -> list[str]:
    parts = [part for part in pattern.split(text) if part and part.strip()]
    return parts if len(parts) > 1 and all(map(_asserts, parts)) else [text]


def _opens_clause(text: str) -> bool:
    """Return whether a verb follows the conjunction, or a subject that a verb soon follows."""
    rest = _WEAK.split(text, maxsplit=1)[1:]
    return bool(rest) and _CLAUSE_START.match(rest[0]) is not None


def has_subject(clause: str) -> bool:
    if HANGUL.search(clause):
        return KOREAN_SUBJECT.match(clause) is not None
    return _SUBJECT.match(clause) is not None


def _asserts(part: str) -> bool:
    return len(part.split()) > 1 and (HANGUL.search(part) is not None or VERB.search(part) is not None)


def subject_phrase(clause: str) -> str:
    if HANGUL.search(clause):
        match = KOREAN_SUBJECT.match(clause)
        return match[0].strip() if match else ""
    verb = VERB.search(clause)
    return clause[: verb.start()].strip() if verb else ""
