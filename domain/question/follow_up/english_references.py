"""What the pronouns of an English follow-up question stand for (N9)."""

import re
from collections.abc import Sequence

from domain.question.follow_up.english_phrases import ASKING, AUXILIARIES, PREPOSITIONS, WORD, Phrase, phrases
from domain.question.follow_up.english_subjects import of_class, person_of, thing_of
from domain.question.follow_up.restatement import Restatement, Verdict, capitalised
from domain.text.words import stem, vocabulary

_PRONOUN = re.compile(
    r"\b(?:(?P<things>it|they|them)\b(?!['’](?:s|re)\b)|(?P<whose>its|their|his)\b|(?P<person>he|she|him)\b|(?P<her>her)\b"
    r"|(?P<there>there)\b|(?P<one>this one|that one|the same one|this|that|these|those)\b)",
    re.IGNORECASE,
)
_PLURAL_PRONOUNS = vocabulary("they them their these those")
# Behind these "that" and "this" stand for a thing, as at the end of a question.
_AFTER_DEMONSTRATIVE = (
    AUXILIARIES | PREPOSITIONS | vocabulary("and or if when also cost costs mean work apply happen take run")
)
"""Behind these "that" and "this" stand for a thing, as at the end of a question."""
_EXPLETIVE = re.compile(
    r"\b(?:does|did|will|would) it (?:take|matter|make sense)\b.+|\bit is\b"
    r"|\b(?:is|was|would|will|can|should) it (?:be )?(?:\w+ (?:or \w+ )?)?"
    r"(?:that|to|for|if|possible|true|allowed|necessary|required|legal|ok|okay|worth|time)\b",
    re.IGNORECASE,
)
_EXISTENTIAL = re.compile(
    r"\b(?:is|are|was|were|be|been)(?:n't)? there\b|\bthere (?:is|are|was|were|be|has|have)\b", re.IGNORECASE
)
_GOVERNING = vocabulary("of for about with on in to at by from")
_SENTENCE_END = re.compile(r"[.!?]\s+(?=\S)")


def resolved(question: str, topic: str) -> Restatement | Verdict | None:
    own = phrases(question)
    end = _SENTENCE_END.search(question)
    for found in _PRONOUN.finditer(question, 0, end.start() if end else len(question)):
        if _means_nothing(question, found) or _is_bound(found, question, own):
            continue
        if standing_for := _antecedent(found, question, topic):
            start, end, text = standing_for
            return Restatement(capitalised(question[:start] + text + question[end:]))
        return "refers back"
    return _named_by_class(question, topic, own)


def _means_nothing(question: str, found: re.Match[str]) -> bool:
    # "is there", "it is possible", "the fee that applies".
    word, before = found[0].casefold(), question[: found.start()]
    if word in ("there", "it"):
        empty = _EXISTENTIAL if word == "there" else _EXPLETIVE
        return any(each.start() <= found.start() < each.end() for each in empty.finditer(question))
    if word in ("those", "these", "that") and re.match(
        r"\s+(?:who|whose|which|that)\b", question[found.end() :], re.IGNORECASE
    ):
        return True
    if word in ("that", "that one") and re.search(r"[^\W_]\s+$", before):
        last = WORD.findall(before)[-1].casefold()
        following = WORD.search(question, found.end())
        if last not in AUXILIARIES | PREPOSITIONS | ASKING and following:
            return True
    return False


def _is_bound(found: re.Match[str], question: str, own: Sequence[Phrase]) -> bool:
    word, before = found[0].casefold(), WORD.findall(question[: found.start()])
    if word == "there":
        return False
    is_object = word in ("it", "them", "him", "this", "that", "these", "those")
    if is_object and before and before[-1].casefold() in _GOVERNING:
        return False
    plural = word in _PLURAL_PRONOUNS
    return any(phrase.end <= found.start() and (phrase.is_plural == plural or plural) for phrase in own)


def _antecedent(found: re.Match[str], question: str, topic: str) -> tuple[int, int, str] | None:
    """(start, end, words) for the pronoun and what belongs to it; None if nothing in `topic` fits."""
    word, start, end = found[0].casefold(), found.start(), found.end()
    if word in ("this", "that", "these", "those"):
        following = WORD.search(question, end)
        if following and following[0].casefold() not in _AFTER_DEMONSTRATIVE:
            named = of_class(stem(following[0].casefold()), topic)
            return (start, following.end(), named) if named else None
        if word in ("this", "that"):
            # It stands for what was said.
            return None
    if word in ("he", "she", "him", "his") or (word == "her"):
        text = person_of(topic)
    elif word == "there":
        text = thing_of(topic, plural=False)
        text = f"in {text}" if text else None
    else:
        text = thing_of(topic, plural=word in _PLURAL_PRONOUNS)
    if text is None:
        return None
    is_owner = word in ("its", "their", "his") or (word == "her" and WORD.search(question, end) is not None)
    return start, end, _possessive(text) if is_owner else text


def _possessive(text: str) -> str:
    return f"{text}'" if text.endswith("s") and not text[-2:].isupper() else f"{text}'s"


def _named_by_class(question: str, topic: str, own: Sequence[Phrase]) -> Restatement | None:
    # "The pump" after a question about pump 4.
    for phrase in own:
        if phrase.determiner == "the" and phrase.kind == "noun" and phrase.text.count(" ") == 1:
            named = of_class(phrase.head, topic, labels_only=True)
            # "The pump of building 2" is another one.
            behind = WORD.search(question, phrase.end)
            if named and not (behind and behind[0].casefold() in ("of", "in", "for", "that", "which")):
                return Restatement(question[: phrase.start] + named + question[phrase.end :])
    return None
