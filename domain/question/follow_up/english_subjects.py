"""What an English question is about: the thing, or the person, that a follow-up question means (N9)."""

import re
from collections.abc import Sequence

from domain.question.follow_up.english_phrases import TIMES, WORD, Phrase, phrases
from domain.text.words import stem, vocabulary

_PREPOSITION = 6
"""Characters between a noun and its owner, at most: " of ", or " for "."""


def _stems(listed: str) -> frozenset[str]:
    return frozenset(map(stem, vocabulary(listed)))


ATTRIBUTES = _stems("""
    address age amount area author authors birthday budget capacity capital colour color cost costs date deadline
    density depth diameter distance duration email fee fees flow height interval length limit location manager mass
    material maximum minimum name number output owner percentage phone population power pressure price prices rate
    ratio revenue risk risks salary schedule share size speed status supplier temperature tolerance turnover value
    version voltage volume weight width
""")
"""Nouns that need an owner: "the temperature" is that of something."""
MEASURES = _stems("""
    age area capacity capital colour color density depth diameter flow height length mass output population power
    pressure size speed temperature voltage volume weight width
""")
"""Attributes that are asked for without an owner only where it is clear whose they are."""
_ROLES = _stems("""
    actor artist author boss ceo cfo chair chairman chief coach coo cto designer dean developer director doctor editor
    employee engineer founder head inventor judge king leader manager mayor minister officer owner person president
    prime principal professor queen secretary singer spokesperson supervisor teacher treasurer vice-president writer
""")


def thing_of(topic: str, *, plural: bool | None) -> str | None:
    """What the question was about: a numbered thing, a name, the owner of an attribute, or its subject.

    None where nothing fits: `plural` says whether it is one thing or several, None that it may be either.
    """
    every = phrases(topic)
    if plural and any(phrase.is_plural and _is_asked(phrase) for phrase in every):
        # "How many rooms does the hotel have?" "They" would be those of that hotel.
        return None
    found = [phrase for phrase in every if not _is_asked(phrase) and not _is_time(phrase)]
    if plural is not True and (named := _named(found)):
        return named.text
    fitting = [phrase for phrase in found if plural is None or phrase.is_plural == plural]
    for phrase in fitting:
        if phrase.head in ATTRIBUTES and (_is_asked(phrase) or _has_owner(phrase, found, topic)):
            continue
        if owner := _owner_of(phrase, found, ("of",)):
            return topic[phrase.start : owner.end]
        if phrase.head not in _ROLES:
            return phrase.text
    # Companies and teams are "they".
    return next((phrase.text for phrase in found if phrase.kind == "name"), None) if plural else None


_EVENTS = _stems("""
    accident attack attacks avalanche blackout breach breakdown collapse collision crash derailment disaster earthquake
    event explosion failure fire flood floods incident leak outage riot shooting spill storm strike wildfire
""")


def event_of(topic: str) -> str | None:
    # With its place and time: "the fire in Tarvik on 3 May"; or "what happened at the plant".
    flat = topic.rstrip(" ?.!")
    if happened := re.match(r"what(?: has| had)? happened\b.+", flat, re.IGNORECASE):
        return happened[0][0].lower() + happened[0][1:]
    for phrase in phrases(topic):
        if phrase.head in _EVENTS and not _is_asked(phrase):
            behind = re.match(r"(?: (?:in|at|on|of|near|from|during) [^,;]+)?$", flat[phrase.end :])
            return flat[phrase.start :] if behind else phrase.text
    return None


def _named(found: Sequence[Phrase]) -> Phrase | None:
    for kind in ("label", "name"):
        for phrase in found:
            if phrase.kind == kind and phrase.head not in _ROLES:
                return phrase
    return None


def _owner_of(phrase: Phrase, found: Sequence[Phrase], prepositions: Sequence[str]) -> Phrase | None:
    behind = (each for each in found if each.before in prepositions)
    return next((each for each in behind if 0 < each.start - phrase.end <= _PREPOSITION), None)


def _has_owner(phrase: Phrase, found: Sequence[Phrase], topic: str) -> bool:
    # "what is the price of a lamp", "the population in Peru".
    if re.match(r"what(?:'s|’s| is| are| was| were)\b", topic, re.IGNORECASE):
        return True
    return _owner_of(phrase, found, ("of", "for")) is not None


def person_of(topic: str) -> str | None:
    # One with a role, or with a name.
    found = phrases(topic)
    for phrase in found:
        if phrase.head in _ROLES and phrase.kind != "label":
            owner = _owner_of(phrase, found, ("of", "for"))
            return topic[phrase.start : owner.end] if owner else phrase.text
    names = (phrase.text for phrase in found if phrase.kind == "name" and not _is_time(phrase))
    return next((name for name in names if all(word[0].isupper() for word in WORD.findall(name))), None)


def of_class(head: str, topic: str, *, labels_only: bool = False) -> str | None:
    for phrase in phrases(topic):
        if phrase.head == head and (phrase.kind == "label" or not labels_only):
            return phrase.text
    return None


def without_times(text: str) -> str:
    for time in TIMES.values():
        text = time.sub("", text)
    return re.sub(r"\b(?:the|of|year|FY)\b|[\W_]", "", text)


def _is_time(phrase: Phrase) -> bool:
    return not without_times(phrase.text)


def _is_asked(phrase: Phrase) -> bool:
    # "how much pressure", "which day".
    return phrase.before in ("much", "many", "which", "what")


def head_of(text: str) -> str:
    found = WORD.findall(text)
    return stem(found[-1].casefold()) if found else ""
