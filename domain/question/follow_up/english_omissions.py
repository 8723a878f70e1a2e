"""What an English follow-up question leaves out: "What about pump 20?" (N9)."""

import re
from collections.abc import Sequence

from domain.question.follow_up.english_phrases import PREPOSITIONS, TIMES, WORD, Phrase, behind_its_verb, phrases
from domain.question.follow_up.english_subjects import (
    ATTRIBUTES,
    MEASURES,
    event_of,
    head_of,
    thing_of,
    without_times,
)
from domain.question.follow_up.restatement import Restatement

_NUMBER = re.compile(
    r"^(?:the |no\.? ?|number |nr\.? ?|#)*(?P<label>\d{1,6}(?:[.-]\d{1,4}){0,3}[a-z]?|[A-Z])$", re.IGNORECASE
)
_PROPER = re.compile(r"[A-ZÀ-ÖØ-Þ][^\W_]*(?: [A-ZÀ-ÖØ-Þ][^\W_]*)*")
_FEW = 2
_UNIT = re.compile(
    r"(?:second|minute|hour|day|week|month|year|time|percent|euro|dollar|kilo(?:gram|metre|meter)?|gram|met(?:er|re)|mile"
    r"|lit(?:er|re)|degree|bar|watt|volt)s?",
    re.IGNORECASE,
)
_VICTIMS = re.compile(
    r"(?:the )?(?P<who>injured|wounded|dead|killed|missing|deaths|injuries|casualties|fatalities|victims|survivors)",
    re.IGNORECASE,
)
_OF_AN_EVENT = re.compile(
    r"(?:the |its )?(?P<what>causes?|damages?|reasons?|consequences?|outcome|origin|losses)", re.IGNORECASE
)
_ADVERB_OF_PLACE = re.compile(r"(?:in|out)(?:side|doors?)|upstairs|downstairs|abroad|online|elsewhere", re.IGNORECASE)
_PLACE = ("in", "at", "on", "within", "near", "behind", "above", "below")


def asked_instead(asked: str, topic: str) -> Restatement | None:
    first, _, behind = asked.partition(" ")
    preposition = first.casefold() if first.casefold() in PREPOSITIONS and behind else ""
    new = behind if preposition else asked
    if owned := re.match(r"(?:its|their|his|her) (?P<what>.+)$", new, re.IGNORECASE):
        return _attribute(owned["what"], topic)
    if text := _of_the_event(new, topic):
        return Restatement(text)
    found = phrases(topic)
    if text := _other_time(new, topic) or _other_label(new, topic, found):
        return Restatement(text)
    if not preposition and head_of(new) in ATTRIBUTES and (text := _attribute(new, topic)):
        return text
    if text := _other_phrase(new, preposition, topic, found) or _other_place(new, topic, found):
        return Restatement(text)
    if preposition:
        # A circumstance that the question before did not name.
        return Restatement(f"{topic.rstrip(' ?.!')} {preposition} {new}?")
    return None


def _of_the_event(new: str, topic: str) -> str | None:
    # "And the injured?", "And the damage?" after a question about an accident.
    victims, aspect = _VICTIMS.fullmatch(new), _OF_AN_EVENT.fullmatch(new)
    event = event_of(topic) if victims or aspect else None
    if event is None:
        return None
    if victims:
        place = "when" if event.startswith("what ") else "in"
        return f"How many {victims['who'].lower()} were there {place} {event.removeprefix('what ')}?"
    what = aspect["what"].lower() if aspect else ""
    return f"What {'were' if what.endswith('s') else 'was'} the {what} of {event}?"


def of_the_event(body: str, topic: str) -> Restatement | None:
    # "What was the cause?" and "How many were injured?", of what happened in the question before.
    asked = re.fullmatch(r"what(?:'s|’s| is| are| was| were) (?P<what>(?:the )?\w+)", body, re.IGNORECASE)
    if asked and (text := _of_the_event(asked["what"], topic)):
        return Restatement(text)
    counted = re.fullmatch(
        r"how many (?:\w+ )?(?:(?:were|are|have|had|got|been) )+\w+|how many \w+ed", body, re.IGNORECASE
    )
    event = event_of(topic) if counted else None
    if event is None or event.startswith("what "):
        return None
    return Restatement(f"{body[0].upper()}{body[1:]} in {event}?")


def with_owner(body: str, topic: str) -> Restatement | None:
    asked = re.fullmatch(r"what(?:'s|’s| is| are| was| were) the (?P<what>[\w -]{2,40})", body, re.IGNORECASE)
    if not asked or len(WORD.findall(asked["what"])) > _FEW or head_of(asked["what"]) not in MEASURES:
        return None
    is_clear = any(phrase.kind in ("label", "name") for phrase in phrases(topic))
    return _attribute(asked["what"], topic) if is_clear else None


def _attribute(what: str, topic: str) -> Restatement | None:
    subject = thing_of(topic, plural=None)
    if subject is None:
        return None
    bare = re.sub(r"^(?:the|its|their) ", "", what, flags=re.IGNORECASE)
    bare = bare[0].lower() + bare[1:] if bare.istitle() else bare
    verb = "are" if any(phrase.is_plural for phrase in phrases(f"of {bare}")[-1:]) else "is"
    return Restatement(f"What {verb} the {bare} of {subject}?")


def _other_time(new: str, topic: str) -> str | None:
    kinds = [kind for kind, time in TIMES.items() if time.search(new)]
    if not kinds or without_times(new) or not all(TIMES[kind].search(topic) for kind in kinds):
        return None
    for kind in kinds:
        given = TIMES[kind].search(new)
        topic = TIMES[kind].sub(given[0] if given else "", topic, count=1)
    return topic


def _other_label(new: str, topic: str, found: Sequence[Phrase]) -> str | None:
    # "Pump 20", "number 20" or "20" in the place of "pump 4".
    labels = [phrase for phrase in found if phrase.kind == "label"]
    named = next((phrase for phrase in phrases(new) if phrase.kind == "label"), None)
    if named:
        same = [phrase for phrase in labels if phrase.head == named.head]
        return _replaced(topic, same[0], _like_before(new, same[0])) if same else None
    number = _NUMBER.match(new)
    if not number or len(labels) != 1 or (number["label"].isalpha() and not number["label"].isupper()):
        return None
    noun = labels[0].text.rpartition(" ")[0]
    return _replaced(topic, labels[0], f"{noun} {number['label']}")


def _other_phrase(new: str, preposition: str, topic: str, found: Sequence[Phrase]) -> str | None:
    if one := re.match(r"(?P<article>the |an? )?(?P<which>[\w -]+) ones?$", new, re.IGNORECASE):
        return _other_one(one, topic, found)
    # Behind a preposition its first word does not begin a sentence.
    last = next(reversed(phrases(f"of {new}")), None)
    if last is None:
        return None
    unnumbered = [phrase for phrase in found if phrase.kind != "label"]
    for phrase in reversed(unnumbered):
        if phrase.head == last.head:
            same = behind_its_verb(phrase)
            return _replaced(topic, same, _like_before(new, same))
    if preposition and (same := [phrase for phrase in unnumbered if phrase.before == preposition]):
        return _replaced(topic, same[-1], new)
    names = [phrase for phrase in found if phrase.kind == "name"]
    if last.kind == "name":
        return _other_name(new, last, names[0], topic) if names else None
    if preposition:
        return None
    return _of_the_same_form(new, last, topic, found) or _asked_thing(last, new, topic, found)


def _other_place(new: str, topic: str, found: Sequence[Phrase]) -> str | None:
    # "Inside" for "in the garden".
    if not _ADVERB_OF_PLACE.fullmatch(new):
        return None
    places = [phrase for phrase in found if phrase.before in _PLACE]
    if not places:
        return f"{topic.rstrip(' ?.!')} {new}?"
    place = places[-1]
    return f"{topic[: topic.rindex(place.before, 0, place.start)]}{new}{topic[place.end :]}"


def _asked_thing(last: Phrase, new: str, topic: str, found: Sequence[Phrase]) -> str | None:
    # "Goats" for "sheep" in "how many sheep were killed".
    if last.determiner or not last.is_plural or len(WORD.findall(new)) > _FEW:
        return None
    counted = [phrase for phrase in found if phrase.before == "many" and len(WORD.findall(phrase.text)) <= _FEW]
    # "Within how many days are returns accepted?" counts no things.
    if len(counted) != 1 or _UNIT.fullmatch(counted[0].head):
        return None
    return _replaced(topic, counted[0], new)


def _of_the_same_form(new: str, last: Phrase, topic: str, found: Sequence[Phrase]) -> str | None:
    # "A desk" for the only "a lamp"; "tablets" for what is behind a preposition, as in "the warranty for laptops".
    if last.determiner in ("a", "an"):
        only = [phrase for phrase in found if phrase.determiner in ("a", "an")]
        return _replaced(topic, only[0], new) if len(only) == 1 else None
    if last.determiner == "the" or not (last.is_plural or last.determiner):
        return None
    objects = [phrase for phrase in found if phrase.before in PREPOSITIONS and phrase.kind == "noun"]
    alike = [phrase for phrase in objects if (phrase.is_plural, phrase.determiner) == (last.is_plural, last.determiner)]
    return _replaced(topic, alike[-1], new) if alike else None


def _other_one(one: re.Match[str], topic: str, found: Sequence[Phrase]) -> str | None:
    # "The blue one" after "the red lamp".
    for phrase in reversed(found):
        content = [word for word in WORD.findall(phrase.text) if word.casefold() != phrase.determiner]
        if phrase.kind == "noun" and len(content) > 1:
            return _replaced(topic, phrase, f"{one['article'] or ''}{one['which']} {content[-1]}")
    return None


def _other_name(new: str, last: Phrase, old: Phrase, topic: str) -> str:
    # Only the name changes in "the Berlin office".
    common = [word for word in WORD.findall(old.text) if word[0].islower() and word.casefold() not in ("the", "of")]
    proper = _PROPER.search(old.text)
    if proper and common and len(WORD.findall(last.text)) == 1:
        return topic[: old.start + proper.start()] + new + topic[old.start + proper.end() :]
    return _replaced(topic, old, new)


def _like_before(new: str, old: Phrase) -> str:
    # With the article of `old`, if it has none of its own and names a single thing.
    has_article = new.partition(" ")[0].casefold() in ("the", "a", "an")
    is_plural = any(phrase.is_plural for phrase in phrases(f"of {new}")[-1:])
    return f"{old.determiner} {new}" if old.determiner == "the" and not has_article and not is_plural else new


def _replaced(topic: str, old: Phrase, new: str) -> str:
    return topic[: old.start] + new + topic[old.end :]
