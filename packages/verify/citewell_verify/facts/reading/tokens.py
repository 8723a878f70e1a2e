"""Tokenizes a sentence: values, names, words, and the cues that show how it is asserted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from citewell_verify.entities.dates import Date, find_dates
from citewell_verify.entities.names import NO_NAMES, find_names
from citewell_verify.entities.numbers import find_quantities
from citewell_verify.entities.quantities import UNITS, Quantity
from citewell_verify.facts.reading import korean
from citewell_verify.facts.reading.phrases import normalised
from citewell_verify.facts.reading.vocabulary import CUES, FILLERS, LABELLED, PRONOUNS, SAME
from citewell_verify.text.words import stem

TokenKind = Literal["value", "name", "word", "cue", "pronoun", "filler"]

_MOST_TOKENS = 400  # tokens of one sentence: a longer sentence is hostile
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|(?<=[\s(])[-−](?=\d)|[½¼¾]")
_HALF = re.compile(r"\s?(a\.?m\.?|p\.?m\.?)(?![a-z])", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::\d{2})?$")
_DOLLARS = re.compile(r"(?<![A-Za-z])(US|AU?|CA?|HK|NZ|S|NT)\$\s?$")
_UNKNOWN_UNIT = re.compile(r"(?<=\d)[A-Za-z]{1,4}(?![A-Za-z0-9-])")
_DIGIT = re.compile(r"\d")
_MINUS = re.compile(r"(?:(?<![\w)])[-−–](?=\S|$)|\b(?:minus|negative)\s|마이너스\s?|영하\s?)\s?[$€£₩]?$", re.IGNORECASE)
_CODE = re.compile(r"(?=.*\d)(?=.*[A-Za-z가-힣])[\w]+|[A-Z]{1,6}|[A-Z]")
_IDENTIFIER = re.compile(r"[A-Z]{1,6}\d{1,5}")
_JOINTS = (" ", " #", " no. ")
_NOUNS = ("word", "name")
_BETWEEN = re.compile(rf"[,;:()]|{korean.BETWEEN}|\b(?:and|but|while|whereas|because|although|which|who)\b")


@dataclass(frozen=True, slots=True)
class Value:
    """A number or a date with its distinguishing features: sign, currency, time of day (`minutes` after midnight)."""

    quantity: Quantity | None
    date: Date | None
    negative: bool = False
    currency: str = ""
    minutes: int | None = None
    percent: float | None = None
    counter: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """A token: `text` is at `start` of the normalised sentence; `key` is used in comparisons.

    `cue` is the class of a cue, `case` the role that a Korean particle marks, `clause` the number of clause breaks
    before the token. `names` is the kind of thing that a Korean name stands for, if its form shows it: a person, place
    or organisation.
    """

    text: str
    key: str
    kind: TokenKind
    start: int
    cue: str = ""
    case: str = ""
    value: Value | None = None
    clause: int = 0
    names: str = ""

    @property
    def is_content(self) -> bool:
        return self.kind in ("value", "name", "word")


@lru_cache(maxsize=4096)
def tokenize(sentence: str) -> tuple[Token, ...]:
    """Return the tokens of one `sentence` in order, at most 400. Cached: a source is compared many times."""
    text = normalised(sentence)
    values = {start: (end, value) for start, end, value in _values(text)}
    tokens: list[Token] = []
    breaks = [match.start() for match in _BETWEEN.finditer(text)]
    ends = {end for end, _ in values.values()}
    position = clause = 0
    for start, end in _spans(text, values):
        counter = start - 1 in ends and text[start - 1] == " " and korean.is_counter(text[start:end])
        is_behind = start in ends or (start > 0 and text[start - 1] in ")]")  # 52%의, 부채(A)의
        if start < position or counter or (is_behind and korean.is_particle(text[start:end])):
            continue
        position = end
        while clause < len(breaks) and breaks[clause] < start:
            clause += 1
        if token := _token(text, start, end, values, clause):
            tokens.append(_in_context(text, tokens[-1], token) if tokens else token)
            tokens += _cues_in_ending(text, token)
        if len(tokens) == _MOST_TOKENS:
            break
    return tuple(_joined_names(text, _korean_names(text, tokens)))


def _korean_names(text: str, tokens: Sequence[Token]) -> list[Token]:
    if not korean.is_korean(text):
        return list(tokens)
    named = {name.start: name for name in find_names(text) if name.kind != "latin"}
    return [
        replace(token, kind="name", text=named[token.start].text, names=named[token.start].kind)
        if token.kind == "word" and token.start in named
        else token
        for token in tokens
    ]


def _spans(text: str, values: dict[int, tuple[int, Value]]) -> Iterator[tuple[int, int]]:
    spans = [(start, end) for start, (end, _) in values.items()]
    taken = [False] * (len(text) + 1)
    for start, end in spans:
        taken[start:end] = [True] * (end - start)
    for match in _WORD.finditer(text):
        start, end = match.span()
        if not taken[start]:
            spans.append((start, end))
            continue
        while start < end and taken[start]:
            start += 1
        if start < end and (attached := korean.attached_word(text, start, end)):
            spans.append(attached)
    return iter(sorted(spans))


def _token(text: str, start: int, end: int, values: dict[int, tuple[int, Value]], clause: int) -> Token | None:
    written = text[start:end]
    if start in values and values[start][0] == end:
        case = korean.case_of_value(text[end : end + 8])
        return Token(
            written,
            " ".join(written.casefold().split()),
            "value",
            start,
            case=case,
            value=values[start][1],
            clause=clause,
        )
    if written in "-−":
        return None
    if korean.LABEL.fullmatch(written):
        return Token(written, stem(written.casefold()), "name", start, clause=clause)
    folded = written.casefold().replace("’s", "").replace("'s", "")
    if korean.is_korean(folded):
        word = korean.analyse_word(folded, text[end : end + 4])
        return Token(
            written, SAME.get(word.key, word.key), word.kind, start, cue=word.cue, case=word.case, clause=clause
        )
    if (cue := CUES.get(folded)) and (written.islower() or written.isupper() or _opens(text, start)):
        return Token(written, folded, "cue", start, cue=cue, clause=clause)
    is_code = _CODE.fullmatch(written) is not None and written not in ("A", "I")
    if folded in PRONOUNS and not is_code:
        return Token(written, folded, "pronoun", start, clause=clause)
    if folded in FILLERS and not (is_code and start):
        return Token(written, folded, "filler", start, clause=clause)
    key = stem(folded)
    key = SAME.get(key, key)
    is_name = is_code or (written[0].isupper() and not _opens(text, start))
    return Token(written, key, "name" if is_name else "word", start, clause=clause)


def _cues_in_ending(text: str, token: Token) -> Sequence[Token]:
    if token.text.isascii():
        return ()
    ending = (
        korean.ending_cue(token.text, text, token.start + len(token.text)) if token.kind in ("word", "filler") else None
    )
    if ending:
        return [replace(token, text=ending.text, key=ending.cue, kind="cue", cue=ending.cue, case="")]
    only = korean.only_particle(token.text) if token.kind == "word" else ""
    start = token.start + len(token.text) - len(only)
    return [replace(token, text=only, key="only", kind="cue", cue="only", case="", start=start)] if only else []


def _joined_names(text: str, tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens, with the tokens of each name joined into one: `Ada Whitfield`, `Room 12`. A capitalised word
    that opens the sentence belongs to the name that follows it."""
    current: Token | None = None
    for token in tokens:
        if current is None:
            current = token
        elif _continues(text, current, token):
            joined = text[current.start : token.start + len(token.text)]
            current = replace(current, text=joined, key=f"{current.key} {token.key}", kind="name", case=token.case)
        else:
            yield current
            current = token
    if current:
        yield current


def _continues(text: str, current: Token, token: Token) -> bool:
    if (
        token.kind != "name"
        or current.kind not in _NOUNS
        or text[current.start + len(current.text) : token.start] not in _JOINTS
    ):
        return False
    if token.key.startswith("#"):
        return True
    if current.text.casefold() in LABELLED and _IDENTIFIER.fullmatch(token.text):
        return True
    is_title = current.kind == "word" and current.text.casefold() in NO_NAMES
    return current.text[0].isupper() and token.text[0].isupper() and not is_title


def _in_context(text: str, before: Token, token: Token) -> Token:
    if token.cue == "planned" and token.text[:1] == "것" and not korean.is_future(before.text):
        return replace(token, kind="filler", cue="", key=token.text)
    if token.cue == "planned" and korean.is_plain_noun(token.text, before.text):
        return replace(token, kind="word", cue="", key=stem(token.text), case=korean.case_of(token.text))
    return _labelled(text, before, token)


def _labelled(text: str, before: Token, token: Token) -> Token:
    """Return a number or letter with the noun that it labels as a name: `Room 12`, `Item A`, `version 2.1` (V2)."""
    quantity = token.value.quantity if token.value else None
    is_number = quantity is not None and not (quantity.unit or quantity.scaled) and token.text[0].isdigit()
    if not (is_number or token.text == "A"):
        return token
    if text[before.start + len(before.text) : token.start] not in _JOINTS or before.kind not in _NOUNS:
        return token
    if before.case:
        return token  # a particle ends the noun: 두산이 LG를 5 대 3으로 이겼다
    has_capital = any(map(str.isupper, before.text))
    if not (before.text.casefold().rstrip("s") in LABELLED or has_capital or before.text in LABELLED):
        return token
    if token.text == "A":
        return replace(token, kind="name", key="#a")
    return replace(token, kind="name", key=f"#{token.key.replace(',', '')}", value=None)


def _opens(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \t*_\"“‘'(-•#")
    return not before or before[-1] in ".!?:;"


def _values(text: str) -> Iterator[tuple[int, int, Value]]:
    dates = find_dates(text)
    taken = bytearray(len(text) + 1)
    quantities = find_quantities(text)
    measured = {quantity.start for quantity in quantities if quantity.unit and UNITS[quantity.unit][0] != "months"}
    for date in dates:
        if date.month is None and date.start in measured:
            continue  # "1850 dollars" has no year
        taken[date.start : date.end] = b"\1" * (date.end - date.start)
        yield date.start, date.end, Value(None, date)
    for label in korean.LABEL.finditer(text):
        taken[label.start() : label.end()] = b"\1" * (label.end() - label.start())
    for clock in korean.CLOCK.finditer(text):
        hour = next((quantity for quantity in quantities if clock.start() <= quantity.start < clock.end()), None)
        if hour and not any(taken[clock.start() : clock.end()]):
            taken[clock.start() : clock.end()] = b"\1" * (clock.end() - clock.start())
            yield clock.start(), clock.end(), Value(hour, None, minutes=korean.minutes(clock))
    for quantity in quantities:
        if not taken[quantity.start]:
            yield _measured(text, quantity)


def _measured(text: str, quantity: Quantity) -> tuple[int, int, Value]:
    start = quantity.start
    end = start + len(text[start:].lstrip()[: len(quantity.text)])
    before = text[max(0, start - 12) : start]
    digit = _DIGIT.search(text, start, end)
    dollars = _DOLLARS.search(text, max(0, start - 3), digit.start() if digit else start)
    minutes, end = _minutes(text, end, quantity)
    counter = ""
    if not quantity.unit:
        # The number has a Korean counter, or an unknown unit such as `W` in `500W`.
        unknown = _UNKNOWN_UNIT.match(text, end)
        counter = unknown[0].casefold() if unknown else korean.counter_of(text[end : end + 8])
    return (
        start,
        end,
        Value(
            quantity,
            None,
            negative=_MINUS.search(before) is not None,
            currency=dollars[1].upper()[0] if dollars else "",
            minutes=minutes,
            percent=quantity.value / 100 if quantity.dimension == "percent" else None,
            counter=counter,
        ),
    )


def _minutes(text: str, end: int, quantity: Quantity) -> tuple[int | None, int]:
    """Return the minutes after midnight if the quantity is a time of day (`5 pm`, `17:00`), and its end."""
    half = _HALF.match(text, end)
    clock = _CLOCK.fullmatch(quantity.text)
    hours = int(clock[1]) if clock else int(quantity.value) if quantity.value <= 24 else -1
    if not (0 <= hours <= 24) or not (half or clock):
        return None, end
    later, earlier = half and half[1][0] in "pP", half and half[1][0] in "aA"
    hours = hours % 12 + 12 if later else hours % 12 if earlier else hours
    return hours * 60 + (int(clock[2]) if clock else 0), half.end() if half else end
