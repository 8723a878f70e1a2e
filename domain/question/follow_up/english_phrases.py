"""Finds the noun phrases of an English question, by its function words and by form: there is no tagger here.

What is found may lack an adjective or have a verb too much; the rules for follow-up questions ask for a shared noun,
number or form before they put one phrase in the place of another.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from domain.text.words import stem, vocabulary

Kind = Literal["label", "name", "noun"]

WORD = re.compile(r"[^\W_]+(?:[.'’&/-][^\W_]+)*")
ASKING = vocabulary("what which who whom whose when where why how")
_DO = vocabulary("do does did can could will would shall should must may might have has had")
_BE = vocabulary("is are was were isn't aren't wasn't weren't been being be am")
AUXILIARIES = _DO | _BE
PREPOSITIONS = vocabulary("""
    of for in on at by with from to about within during after before between under over into per via without since until
    against through near behind above below
""")
_DETERMINERS = vocabulary("the a an my our your this that these those every each any some no its their his her")
PRONOUNS = vocabulary("""
    i you he she it we they me him us them this that these those one ones there here everybody somebody anybody nobody
    someone anyone everyone something anything nothing
""")
_OTHERS = vocabulary("""
    and or but if when while because than as so then also not only just still yet already ever never always often
    usually please much many few long far old soon well again too very more most less least it's there's
""")
_BREAKS = ASKING | AUXILIARIES | PREPOSITIONS | PRONOUNS | _OTHERS
_NO_CLASS = (
    _BREAKS
    | _DETERMINERS
    | vocabulary("""
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec about around approximately nearly exactly next last first past top
    only plus minus times day days week weeks month months year years hour hours minute minutes percent euro euros
    dollar dollars number no nr
""")
)
_LABEL = re.compile(
    r"\b(?:the )?(?P<noun>[^\W\d_]{2,30}) (?:no\.? ?|number |nr\.? ?|#)?"
    r"(?P<label>\d{1,6}(?:[.-]\d{1,4}){0,3}[a-z]?|[A-Z])"
    r"(?![\w%]|[.,]\d| (?:euros?|dollars?|percent|days?|weeks?|months?|years?|hours?|minutes?)\b)",
    re.IGNORECASE,
)
_IRREGULAR_PLURALS = vocabulary("people children men women data criteria staff mice feet teeth")
_VERB_FORM = re.compile(r"[a-z](?<!s)s$")
_NO_PLURAL = re.compile(r"(?:ss|us|is|news|series)$")
_PARTICIPLE = re.compile(r"(?:[^e]ed|[^aeiou]en|ing)$")
_IRREGULAR_PARTICIPLES = vocabulary(
    "made built sold bought paid held kept sent set put run done given taken known born found left lost shown written"
)
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
TIMES = {
    "year": re.compile(r"\b(?:19|20)\d\d\b"),
    "quarter": re.compile(r"\b(?:Q[1-4]|H[12]|(?:first|second|third|fourth) quarter)\b", re.IGNORECASE),
    # "May" alone may be a verb at the beginning of a question.
    "month": re.compile(rf"\b(?<!^)(?:{_MONTHS})\b|^(?!may)(?:{_MONTHS})\b", re.IGNORECASE),
    "weekday": re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE),
    "season": re.compile(r"\b(?:spring|summer|autumn|winter)\b", re.IGNORECASE),
}
"""Expressions of time; one of a kind takes the place of another of that kind."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase: `text` at `start` to `end`, with its determiner. `head` is the stem of its last noun.

    `before` is the preposition or the auxiliary that it follows directly, if any.
    """

    kind: Kind
    text: str
    start: int
    end: int
    head: str
    is_plural: bool
    determiner: str
    before: str


def phrases(text: str) -> list[Phrase]:
    found: list[Phrase] = []
    labels = list(_labels(text))
    for phrase in (*labels, *_nouns(text, labels)):
        found.append(phrase)
    return sorted(found, key=lambda phrase: phrase.start)


def behind_its_verb(phrase: Phrase) -> Phrase:
    """ "Phone support" of "plan includes phone support": what "which" asks for may stand before a verb in "-s"."""
    if phrase.before not in ("which", "what"):
        return phrase
    said = list(WORD.finditer(phrase.text))
    for at in range(1, len(said) - 1):
        if _VERB_FORM.search(said[at][0]) and not said[at - 1][0].endswith("s"):
            start = said[at + 1].start()
            return replace(phrase, text=phrase.text[start:], start=phrase.start + start, before="")
    return phrase


def _labels(text: str) -> Iterator[Phrase]:
    for match in _LABEL.finditer(text):
        if match["noun"].casefold() in _NO_CLASS or (match["label"].isalpha() and not match["label"].isupper()):
            continue
        before = _word_before(text, match.start())
        yield Phrase("label", match[0], match.start(), match.end(), stem(match["noun"].casefold()), False, "", before)


def _nouns(text: str, taken: Sequence[Phrase]) -> Iterator[Phrase]:
    # No function words, with a determiner; a verb at the end of a run is left out.
    tokens = list(WORD.finditer(text))
    place = 0
    while place < len(tokens):
        if _is_taken(tokens[place], taken) or not _opens(tokens, place):
            place += 1
            continue
        first = place
        determiner = tokens[first][0].casefold() if tokens[first][0].casefold() in _DETERMINERS else ""
        begin = place = first + bool(determiner)
        while place < len(tokens) and _goes_on(text, tokens, place, begin) and not _is_taken(tokens[place], taken):
            place += 1
        before = tokens[first - 1][0].casefold() if first and _joined(text, tokens, first) else ""
        following = tokens[place][0].casefold() if place < len(tokens) else ""
        run = _without_verbs(tokens[begin:place], before, determiner, following)
        if run:
            yield _phrase(text, tokens[first] if determiner else run[0], run, determiner, before)
        place = max(place, first + 1)


def _phrase(text: str, first: re.Match[str], run: Sequence[re.Match[str]], determiner: str, before: str) -> Phrase:
    last = re.sub(r"['’]s?$", "", run[-1][0])
    head = last.casefold()
    is_name = any(_looks_like_a_name(token, determiner) for token in run)
    is_plural = head in _IRREGULAR_PLURALS or (head.endswith("s") and not _NO_PLURAL.search(head) and not is_name)
    end = run[-1].start() + len(last)
    return Phrase(
        "name" if is_name else "noun",
        text[first.start() : end],
        first.start(),
        end,
        stem(head),
        is_plural,
        determiner,
        before,
    )


def _looks_like_a_name(token: re.Match[str], determiner: str) -> bool:
    word = token[0]
    if not word[0].isupper() or token.start() == 0 or any(time.fullmatch(word) for time in TIMES.values()):
        return False
    # "The CEO" is a role; "IBM" has no article.
    return not (determiner and word.isupper())


def _opens(tokens: Sequence[re.Match[str]], place: int) -> bool:
    word = tokens[place][0].casefold()
    if word in _DETERMINERS:
        following = tokens[place + 1][0].casefold() if place + 1 < len(tokens) else ""
        return following not in _BREAKS and following not in _DETERMINERS and bool(following)
    # "How tall".
    is_degree = place > 0 and tokens[place - 1][0].casefold() == "how"
    return word not in _BREAKS and not word[0].isdigit() and not is_degree


def _goes_on(text: str, tokens: Sequence[re.Match[str]], place: int, begin: int) -> bool:
    word = tokens[place][0].casefold()
    if word in _BREAKS or word in _DETERMINERS or word[0].isdigit():
        return False
    return place == begin or _joined(text, tokens, place)


def _joined(text: str, tokens: Sequence[re.Match[str]], place: int) -> bool:
    return not text[tokens[place - 1].end() : tokens[place].start()].strip()


def _without_verbs(run: list[re.Match[str]], before: str, determiner: str, following: str) -> list[re.Match[str]]:
    # Behind "does the lamp", in front of "who repairs".
    if before == "who" and not determiner:
        # "Who repairs lamps": the verb comes first.
        return run[1:]
    if before == "to" and not determiner and len(run) == 1 and run[0][0].islower() and not run[0][0].endswith("s"):
        return []
    if before in _DO and len(run) > 1:
        # "Does Hotel Adler have": here the verb is no part of the run.
        return run if following in AUXILIARIES or run[-1][0][0].isupper() else run[:-1]
    if before in _BE and len(run) > 1 and _is_participle(run[-1][0]):
        return run[:-1]
    if not determiner and len(run) == 1 and (before in AUXILIARIES or before in PRONOUNS):
        # "is inspected", "do I return": no noun. "are lamps" may be one.
        return [] if before in PRONOUNS or _is_participle(run[0][0]) or (not following and before in _DO) else run
    if not determiner and before not in PREPOSITIONS and len(run) == 1 and _is_participle(run[0][0]):
        return []
    return run


def _is_participle(word: str) -> bool:
    return _PARTICIPLE.search(word.casefold()) is not None or word.casefold() in _IRREGULAR_PARTICIPLES


def _is_taken(token: re.Match[str], taken: Sequence[Phrase]) -> bool:
    return any(phrase.start <= token.start() < phrase.end for phrase in taken)


def _word_before(text: str, start: int) -> str:
    found = re.search(r"([^\W_]+)\s+$", text[:start])
    return found[1].casefold() if found else ""
