"""Derives searches from the words of a question and the names in passages (S3.2, S3.6).

Nothing is invented: a search consists of words of the question and names from the passages, without synonyms.
"""

import re
from collections.abc import Iterator

from citewell_verify.prompting.judgements import RestatedQuestion, RewrittenQuestion, SearchDecision
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.text.sentences import split_sentences
from citewell_verify.text.words import content_stems, coverage, meaningful, stem, words
from domain.question.follow_up import standalone_question

_MOST_QUERIES = 3
_ASKING = r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|does|do|did|can|must|may|should|within)\b"
_OPENING = re.compile(
    r"^(?:please\s+)?(?:(?:what|which|who|when|where|why|how(?: many| much| long)?)\b\s*)?"
    r"(?:(?:is|are|was|were|do|does|did|can|must|may|should|will|has|have)\b\s*)?(?:(?:the|an?)\b\s*)?",
    re.IGNORECASE,
)
_PARTS = re.compile(
    rf"[?？]\s+|;\s+|,\s*(?:and|but|or)\s+|(?:,|\s+and)\s+(?={_ASKING})|\s*,?\s*그리고\s+|(?<=[가-힣]),\s+",
    re.IGNORECASE,
)
# Questions about two things at once; `rest` is asked about both.
_PAIRS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(?:please\s+)?compare\s+(?P<one>.+?)\s+(?:and|with|to|against|versus|vs\.?)\s+(?P<two>.+)$",
        r"\bdifferences?\s+between\s+(?P<one>.+?)\s+and\s+(?P<two>.+)$",
        r"^how\s+(?:do|does|did)\s+(?P<one>.+?)\s+and\s+(?P<two>.+?)\s+(?:differ|compare)(?:\s+in\s+(?P<rest>.+))?$",
        r"^(?P<one>.+?)(?:와|과|하고)\s+(?P<two>.+?)(?:의|을|를|은|는|이|가)?\s+(?:비교|차이)",
        r"^(?P<one>[가-힣\w]{2,})(?:와|과)\s+(?P<two>[가-힣\w]{2,})의\s+(?P<rest>.+)$",
    )
)
_LONGEST_PAIR = 500
_NAME = re.compile(r"(?<=[\w,;:(] )[A-Z][\w’'-]+(?:\s+[A-Z][\w’'-]+)*")
_ABOUT = 0.3
_USER = "user: "
_HANGUL = re.compile(r"[가-힣]$")
_PLURAL = re.compile(r"(?<=[a-z]{3})(?<![siu])s$")


def restate_question(question: str, conversation: str) -> RestatedQuestion:
    before = [line.removeprefix(_USER) for line in conversation.splitlines() if line.startswith(_USER)]
    return RestatedQuestion(standalone_question=standalone_question(question, before))


def rewrite_question(question: str, count: int) -> RewrittenQuestion:
    """The parts of the question, its keywords, the question without its opening, and its keywords in the singular."""
    keywords, parts = [word for word in words(question) if meaningful([word])], _parts(question)
    wordings = [
        *parts,
        " ".join(stem(word) if _HANGUL.search(word) else word for word in keywords),
        "" if parts else _OPENING.sub("", question).rstrip(" ?？."),
        # Words not in the question as written may be names, which can end like plurals.
        " ".join(_PLURAL.sub("", word) if word in question else word for word in keywords),
    ]
    different: dict[str, str] = {}
    for wording in wordings:
        if (key := _same(wording)) not in ("", _same(question)):
            different.setdefault(key, wording)
    return RewrittenQuestion(questions=list(different.values())[:count])


def decide_search(question: str, sources: Sources, searches: str) -> SearchDecision:
    """Search for each part of the question, then for a name that a passage gives to what the question describes."""
    made = {_same(line) for line in searches.splitlines()}
    parts = _parts(question) or [question]
    if wanted := [part for part in parts if _same(part) not in made]:
        reason = f"the question has {len(parts)} parts" if len(parts) > 1 else "nothing was searched for yet"
        return SearchDecision(action="search", queries=wanted[:_MOST_QUERIES], reason=reason)
    named = next((query for query in _named(question, sources) if _same(query) not in made), None)
    if named:
        return SearchDecision(action="search", queries=[named], reason="a passage names what the question describes")
    return SearchDecision(action="answer", queries=[], reason="every part of the question was searched for")


def _parts(question: str) -> list[str]:
    plain = " ".join(question.split()).rstrip(" ?？.")
    # Longer questions hardly name two things at once, and the patterns would compare every place with every other.
    for pattern in _PAIRS if len(plain) <= _LONGEST_PAIR else ():
        if match := pattern.search(plain):
            rest = match.groupdict().get("rest") or ""
            return [f"{match[side]} {rest}".strip() for side in ("one", "two")]
    parts = [part.strip() for part in _PARTS.split(plain) if part.strip()]
    return parts if len(parts) > 1 and all(len(content_stems(part)) > 1 for part in parts) else []


def _named(question: str, sources: Sources) -> Iterator[str]:
    """A name that the question lacks, from the sentence closest to it, plus the words that this sentence
    leaves open.
    """
    wanted = content_stems(question)
    said = [sentence.text for source in sources for sentence in split_sentences(source.text)]
    for text in sorted(said, key=lambda text: -coverage(wanted, set(content_stems(text))))[:_MOST_QUERIES]:
        known = set(content_stems(text))
        missing = [word for word in words(question) if coverage(meaningful([word]), known) < 1 and meaningful([word])]
        if coverage(wanted, known) < _ABOUT or not missing:
            continue
        for name in _NAME.findall(text):
            if coverage(content_stems(name), set(wanted)):
                continue
            # A sentence with the name and a missing word states what would be searched for.
            stating = (set(content_stems(sentence)) for sentence in said if name in sentence)
            if not any(coverage(content_stems(" ".join(missing)), stems) > 0 for stems in stating):
                yield f"{name} {' '.join(missing)}"


def _same(text: str) -> str:
    return " ".join(words(text))
