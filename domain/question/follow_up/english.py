"""Follow-up questions in English, read by their function words: there is no tagger here."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from citewell_verify.text.words import content_stems
from domain.question.follow_up.values import dated, exchanged, values_of

_DO = "do|does|did|can|could|will|would|shall|should|must|may|might|has|have|had|gets?|got|needs?"
_BE = "is|are|was|were|be|been|being|am|isn't|aren't|wasn't|weren't"
_JOINTS = (
    "of|for|in|on|at|by|with|from|to|about|within|during|after|before|between|under|over|into|per|via|without|since"
    "|until|till|against|through|near|behind|above|below|outside|inside|around|off|up|out|than|as|beyond"
)
_PERSONS, _OWN, _THE = "he|she|him|his|her", "its|their|his|her", "the|that|this|these|those"
_DETERMINERS = f"{_THE}|{_OWN}|whose|an?|my|our|your|every|each|any|some|no"
_PRONOUNS = f"{_PERSONS}|{_OWN}|it|they|them|this|that|these|those|there|ones?"
_OTHERS = (
    "i|you|we|me|us|and|or|but|if|when|while|because|so|then|also|too|not|only|just|still|yet|already|ever|never"
    "|always|often|usually|please|more|most|much|many|very|again|here|who|which|what|where|whom|why|how|number"
)
_FUNCTION = re.compile(rf"(?:{_DO}|{_BE}|{_JOINTS}|{_DETERMINERS}|{_PRONOUNS}|{_OTHERS})", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:[.,'’&/-][^\W_]+)*")
# "May" is a month unless it is the first word.
_CONTENT = rf"\b(?!(?!(?-i:May)\b){_FUNCTION.pattern}\b(?!['’&/-]\w)){_WORD.pattern}"
_PHRASE = re.compile(
    rf"(?:\b(?P<joint>{_JOINTS}) )?(?P<noun>(?:\b(?P<determiner>{_DETERMINERS}) )?{_CONTENT}(?: {_CONTENT})*)",
    re.IGNORECASE,
)
_HEAD = re.compile(
    rf"(?P<asking>(?:(?:{_JOINTS}) )?"
    rf"(?:how(?: (?!(?:{_DO}|{_BE})\b)\w+)?|what(?: time)?|which|who|whom|whose|when|where|why)\b ?)?"
    rf"(?:(?P<asked>{_CONTENT}(?: of)?(?: {_CONTENT})*) (?=(?:{_DO}|{_BE})\b))?(?:(?P<auxiliary>{_DO}|{_BE})\b ?)?",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:(?:and|but|or|so|then|also|ok|okay|alright|well|thanks|thank you|great)\b[\s,.!:]*)*"
    r"(?:(?:(?:what|how) about|what of|(?:is (?:it|that) )?the same (?:for|about|with))\s+)?",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"\(([^()]+)\)$")
_EMPTY = re.compile(r"\bit (?:takes?|costs?|(?:be )?\w+(?: or \w+)?) (?:to|that|for)\b", re.IGNORECASE)
_NO_PRONOUN = re.compile(
    rf"\b(?:there (?:{_BE})|(?:{_BE}) there|one of|(?:{_DO}|{_BE}) one)\b|\b(?:that|those|one) (?:who|which|that)\b.*",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile("[a-z]{2}ed$|^(?:built|held|made|kept|paid|sent|sold|open|written|taken|given|chosen|born)$")
_PLURAL = re.compile("[a-z][^s]s$")
_NO_VERB = (0, 0)
_MOST_LED, _MOST_BARE = 12, 4  # words of a fragment
_MOST_REFERRING = 5  # content words of a question with a pronoun; a longer one explains it


class _Phrase(NamedTuple):
    """Words without a function word between them: from their preposition, from their determiner, and the end."""

    start: int
    noun: int
    end: int
    determiner: str
    joint: str


class _Question(NamedTuple):
    """A question: its question word ("by when", "how often"), the noun that this asks for ("which plan"), the auxiliary
    and, from `start`, the rest with its phrases and the place of its verb, (0, 0) if there is none.
    """

    text: str
    asking: str
    asked: str
    auxiliary: str
    start: int
    phrases: Sequence[_Phrase]
    verb: tuple[int, int]

    @property
    def rest(self) -> str:
        return self.text[self.start :]

    @property
    def content(self) -> int:
        said = " ".join(self.text[phrase.noun : phrase.end] for phrase in self.phrases)
        return sum(not _FUNCTION.fullmatch(word) for word in _WORD.findall(f"{self.asked} {said}")) + any(self.verb)

    def stems(self, phrase: _Phrase) -> set[str]:
        return set(content_stems(self.text[phrase.noun : phrase.end]))

    def kinds(self, phrase: _Phrase) -> set[str]:
        return {value.kind for value in values_of(self.text) if phrase.start <= value.start < phrase.end}

    def with_(self, start: int, end: int, put: str) -> str:
        return self.text[:start] + put + self.text[end:]


def goes_on(question: str) -> bool:
    new, is_led = _follow_up(question)
    if new.asking or new.auxiliary:
        refers = _pronoun(new) is not None and new.content <= (2 if _EMPTY.search(new.text) else _MOST_REFERRING)
        return refers or (new.content <= 1 and not _defines(new))
    if not is_led and not question.endswith("?"):
        return new.content <= 1
    return len(new.text.split()) <= (_MOST_LED if is_led else _MOST_BARE)


def _defines(new: _Question) -> bool:
    """ "What is a pecten?" says all itself, "what is the fee?" does not."""
    if not new.phrases or any(new.verb) or not _is(_BE, new.auxiliary) or not _is("what|who", new.asking):
        return False
    phrase = new.phrases[0]
    return not _is(f"{_THE}|{_OWN}", phrase.determiner) and (_is("what", new.asking) or bool(new.kinds(phrase)))


def restated(question: str, topic: str) -> str | None:
    (new, is_led), old = _follow_up(question), _read(topic.rstrip(" ?.!"))
    pronoun = _pronoun(new)
    if not new.asking and not new.auxiliary:
        text = _with_fragment(new.text, old) if new.text and (is_led or question.endswith("?")) else ""
    elif not new.content and (
        new.auxiliary[:2] == "do" and not _is(_PERSONS, pronoun[0]) if pronoun else not new.auxiliary
    ):
        text = _asked_instead(new.asking, old) if new.asking else ""
    else:
        text = _about(new, old, pronoun)
    return f"{text[:1].upper()}{text[1:]}?" if text else None


def _follow_up(question: str) -> tuple[_Question, bool]:
    lead = _LEAD.match(question)
    end = lead.end() if lead else 0
    return _read(question[end:].rstrip(" ?.!")), end > 0


def _is(words: str, word: str) -> bool:
    return re.fullmatch(words, word, re.IGNORECASE) is not None


def _read(text: str) -> _Question:
    head = _HEAD.match(text)
    asking, asked, auxiliary = ((head[name] or "").strip() if head else "" for name in ("asking", "asked", "auxiliary"))
    start = head.end() if head else 0
    if asked and not asking:
        asked, auxiliary, start = "", "", 0
    if not auxiliary and _is(".*(?:which|many|much)", asking) and (noun := _WORD.match(text, start)):
        # "Which plan includes support": the noun stands before a verb.
        asked, start = noun[0], noun.end() + 1
    begin, end = _verb(text, _phrases(text, start), asking, auxiliary.lower())
    phrases = _phrases(text[:begin] + "|" * (end - begin) + text[end:], start)
    return _Question(text, asking, asked, auxiliary.lower(), start, phrases, (begin, end))


def _phrases(text: str, start: int) -> list[_Phrase]:
    return [
        _Phrase(
            match.start(),
            match.start("noun"),
            match.end(),
            (match["determiner"] or "").lower(),
            (match["joint"] or "").lower(),
        )
        for match in _PHRASE.finditer(text, start)
    ]


def _verb(text: str, phrases: Sequence[_Phrase], asking: str, auxiliary: str) -> tuple[int, int]:
    """The first word of "who repairs the lift"; a participle after "is"; what follows "to" or another auxiliary."""
    if not phrases or not (asking or auxiliary):
        return _NO_VERB
    spans = [[word.span() for word in _WORD.finditer(text, phrase.noun, phrase.end)] for phrase in phrases]
    words = [places[bool(phrase.determiner) :] for phrase, places in zip(phrases, spans, strict=True)]
    is_bare = [not (phrase.determiner or phrase.joint) for phrase in phrases]
    if not auxiliary:
        return words[0][0] if is_bare[0] else _NO_VERB
    if _is(_BE, auxiliary):
        lasts = [places[-1] for places in reversed(words)]
        return next((place for place in lasts if _PARTICIPLE.search(text[slice(*place)])), _NO_VERB)
    for at, phrase in enumerate(phrases):
        if (at and is_bare[at]) or (phrase.joint == "to" and not phrase.determiner):
            return words[at][0]
    return _NO_VERB if phrases[0].joint else _infinitive(text, phrases, words, is_yes_or_no=not asking)


def _infinitive(
    text: str, phrases: Sequence[_Phrase], words: Sequence[Sequence[tuple[int, int]]], *, is_yes_or_no: bool
) -> tuple[int, int]:
    """The word behind a name or a number, or the last before a function word: "does the choir rehearse on Mondays",
    "does the lease in Busan end".
    """
    first = words[0]
    values = [value.end for value in values_of(text) if first[0][0] <= value.start < first[-1][1]]
    if values:
        return next((place for place in first if place[0] >= values[-1]), _NO_VERB)
    if re.match(rf" (?:{_DO})\b", text[phrases[0].end :], re.IGNORECASE):
        return _NO_VERB
    if len(first) > 1:
        # "Does the warranty cover rust" needs its object, "when does the new choir rehearse" has none.
        has_object = is_yes_or_no and len(phrases) == 1 and len(first) > 1 + (not phrases[0].determiner)
        return first[-2 if has_object else -1]
    behind = [places[-1] for places in words[1:] if len(places) > 1]
    return behind[-1] if behind and not phrases[-1].determiner else _NO_VERB


def _pronoun(question: _Question) -> re.Match[str] | None:
    """The first pronoun that nothing before it explains: "when is it due", not "who keeps a book when it is due"."""
    text = _NO_PRONOUN.sub(lambda match: "-" * len(match[0]), question.text)
    for pronoun in re.finditer(rf"\b(?:{_PRONOUNS})\b", text, re.IGNORECASE):
        before = text[: pronoun.start()].split()
        if (
            not before
            or before[-1].casefold() == question.auxiliary
            or _is(".*of (?:them|these|those)", text[: pronoun.end()])
        ):
            return pronoun
        explained = [
            phrase
            for phrase in question.phrases
            if phrase.end <= pronoun.start() - 2 * _is("ones?", pronoun[0]) and not _is(_PRONOUNS, phrase.determiner)
            if phrase.determiner or question.kinds(phrase) or _PLURAL.search(text[: phrase.end])
        ]
        if not explained and not question.asked:
            return pronoun
    return None


def _asked_instead(asking: str, old: _Question) -> str:
    """The question before with another question word."""
    is_copular = _is(_BE, old.auxiliary) and not any(old.verb) and _is("(?:what|which|how).*", old.asking)
    if is_copular or not old.auxiliary or (_is("who", old.asking) and old.auxiliary[:2] != "do"):
        return f"{asking}: {old.asked} {old.rest}".replace("  ", " ")
    return f"{asking} {old.auxiliary} {old.rest}" + (f" ({old.asked})" if old.asked else "")


def _things(old: _Question, *, whole: bool) -> list[str]:
    """What the question is about: without its verb, unless that has an object, and unless `whole` without the first of
    "what is the price of a lamp".
    """
    if beside := _BESIDE.search(old.text):
        return [beside[1]]
    start, (begin, end) = old.start, old.verb
    if not whole and len(old.phrases) > 1 and not any(old.verb) and old.phrases[1].joint == "of":
        start = old.phrases[1].noun
    if not (old.asking or old.auxiliary) and len(old.phrases) > 1 and old.phrases[1].joint != "of":
        # "List the members of the board."
        start = old.phrases[0].noun if " " in old.text[start : old.phrases[0].end] else old.phrases[1].noun
    if re.search("(?:which|what)$", old.asking, re.IGNORECASE) and old.asked:
        return [f"the {old.asked} that {old.rest}"]
    has_object = any(phrase.start > end and not phrase.joint for phrase in old.phrases)
    is_clause = has_object and any(phrase.end <= begin for phrase in old.phrases)
    pieces = [old.text[start:]] if is_clause or not any(old.verb) else [old.text[start:begin], old.text[end:]]
    things: list[str] = []
    for piece in pieces:
        if phrases := list(_PHRASE.finditer(piece)):
            things.append(piece[phrases[0].start("noun") : phrases[-1].end()])
    return things


def _about(new: _Question, old: _Question, pronoun: re.Match[str] | None) -> str:
    """The new question with what the one before is about, for its pronoun or behind it."""
    word = pronoun[0].lower() if pronoun else ""
    says_more = (
        any(new.verb) or any(not phrase.joint for phrase in new.phrases) or _is("how (?!much|many).+", new.asking)
    )
    things = _things(old, whole=not says_more or _is(_PERSONS, word))
    if not new.auxiliary and not any(new.verb):
        # "In which language" is asked of all of it.
        things = [old.rest]
    if old.asked and (" of " in old.asked or _is("they|them|their", word)):
        things = [old.asked, *things]
    has_verb = any(old.verb) and not old.asked and any(old.text[slice(*old.verb)] in thing for thing in things)
    ends = pronoun is not None and pronoun.end() == len(new.text)
    stands_for_it = _is(f"it|they|them|{_PERSONS}|{_THE}" if ends else "it|they|them|s?he", word)
    if pronoun and stands_for_it and len(things) == 1 and not has_verb:
        return new.with_(*pronoun.span(), things[0])
    return f"{new.text} ({', '.join(things)})" if things else ""


def _with_fragment(text: str, old: _Question) -> str:
    """The question before with the fragment in the place of its like: another name or number, what has the same noun,
    preposition or article. Otherwise the fragment is a further circumstance, or another property.
    """
    fragment = re.sub(rf"^(?:{_OWN}) ", "the ", dated(text, old.text), flags=re.IGNORECASE)
    if _FUNCTION.fullmatch(fragment.split()[0]):
        fragment = fragment[:1].lower() + fragment[1:]
    if thing := next((phrase for phrase in reversed(old.phrases) if phrase.determiner == "the"), None):
        fragment = re.sub(r"\bones?$", old.text[thing.noun : thing.end].split()[-1], fragment)
    if exchange := exchanged(fragment, old.text):
        return exchange
    asked_now = _Question(fragment, "", "", "", 0, _read(fragment).phrases, (0, 0))
    new = asked_now.phrases[0] if asked_now.phrases else None
    if like := _like(asked_now, new, old):
        return old.with_(like.start if not new or new.joint else like.noun, like.end, fragment)
    if new is None or new.joint:
        return f"{old.text} {fragment}"
    things = _things(old, whole=not _is(f"{_THE}|{_OWN}", new.determiner))
    return f"{fragment} ({', '.join(things)})"


def _like(asked_now: _Question, new: _Phrase | None, old: _Question) -> _Phrase | None:
    asked = old.text.find(old.asked) if old.asked else -1
    nouns = [*old.phrases, *([_Phrase(asked, asked, asked + len(old.asked), "", "")] if old.asked else [])]
    if new is None:
        return next((noun for noun in reversed(nouns) if noun.joint in ("in", "at", "on")), None)
    like = (
        [noun for noun in nouns if asked_now.stems(new) & old.stems(noun)]
        or [noun for noun in nouns if asked_now.kinds(new) & old.kinds(noun)]
        or [noun for noun in nouns if new.joint and noun.joint == new.joint]
    )
    if like or new.joint:
        return like[0] if like else None
    if _is(f"{_THE}|{_OWN}", new.determiner) and not (_is("who", old.asking) and not old.auxiliary):
        return None
    plain = [noun for noun in nouns if noun.determiner == new.determiner and not old.kinds(noun)]
    return min(plain, key=lambda noun: (noun is nouns[-1] and asked >= 0, bool(noun.joint)), default=None)
