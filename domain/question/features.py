"""Computes features of a sentence beside the question that it should answer (V8). All are 0..1."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache

from domain.entities.dates import find_dates
from domain.entities.names import find_names
from domain.entities.numbers import find_quantities
from domain.question.question_parts import Kind, QuestionPart, has_kind
from domain.support.analysis import AnalysedText
from domain.text.negation import opposites
from domain.text.words import STOP_WORDS, stem, vocabulary

_MOST_CHARS, _MOST_STEMS = 1_500, 200  # of a sentence or a question: anything longer is none
_REACH = 7  # words on either side of a date, a number or a name that may belong to it
_WORD = re.compile(r"\w+(?:[.,]\d+)*")
_COUNTED: frozenset[Kind] = frozenset({"number", "amount"})
# These only name the kind of thing asked for: "which year", "what type of".
_ASKED_WORDS = frozenset(
    map(
        stem,
        vocabulary("""
            year years date name names named type types kind kinds term amount number percentage percent called many
            much long often part group person people thing things happen happened reason way example 년도 이름 종류 이유
        """),
    )
)
_ASKING = re.compile("^(?:몇|며칠|얼마|언제|누구|어디|무엇)|(?:나요|까요|습니까|ㅂ니까|가요|는지|은지|ᆫ지)$")
_NEGATED = re.compile(r"\b(?:not|never|cannot|without)\b|n['’]t\b|않|못|없|아닌")
_RULES = re.compile(
    r"\b(?:rules?|polic\w+|conditions?|restrict\w+|exceptions?|limit\w*|allow\w*|permit\w*|forbidden|prohibited)\b|규정|규칙|조건|제한",
    re.IGNORECASE,
)
_DENYING = ("in", "un", "non", "im", "ir", "il", "dis", "불", "비", "무", "미")


@dataclass(frozen=True)
class _AnalysedSentence:
    """A sentence's words as stems in order ("" for stop words), and the places of its dates, numbers and names."""

    read: AnalysedText
    stems: tuple[str, ...]
    dates: tuple[int, ...]
    numbers: tuple[int, ...]
    names: tuple[tuple[int, str], ...]


def answer_features(asked: QuestionPart, sentence: str) -> dict[str, float]:
    said, question = _read(sentence[:_MOST_CHARS]), _question(asked.text)
    weights = question_weights(asked)
    wanted, plain = list(weights), _plain(asked)
    shares = {each: said.read.related_stems.similarity(each) for each in wanted}
    kind = has_kind(asked.kind, said.read.text, asked.text)
    near, has_all = _near(asked, said, weights), all(share >= 0.6 for share in shares.values())
    return {
        "plain": _covered(plain, shares) if plain else 1.0,
        "all": float(has_all),
        "all_of_many": float(has_all) * min(1.0, len(wanted) / 8),
        "all_but_one": float(sum(share < 0.6 for share in shares.values()) <= 1),
        "first": shares[wanted[0]] if wanted else 0.0,
        "kind": float(kind is True),
        "no_kind": float(kind is False),
        "near": near,
        "long_question": min(1.0, len(wanted) / 8),
        "denied": float(_is_denied(asked.kind, question, said.read)),
        "opposed": float(_opposed(question, said.read)),
        **{f"asks_{each}": float(asked.kind == each) for each in ("who", "when", "where", "why", "how")},
        "asks_number": float(asked.kind in _COUNTED),
    }


@lru_cache(maxsize=256)
def _question(text: str) -> AnalysedText:
    return AnalysedText(text[:_MOST_CHARS])


@lru_cache(maxsize=4096)
def _read(sentence: str) -> _AnalysedSentence:
    tokens = list(_WORD.finditer(sentence))
    starts = {place: number for number, token in enumerate(tokens) for place in range(token.start(), token.end())}
    stems = tuple("" if (word := token[0].casefold()) in STOP_WORDS else stem(word) for token in tokens)

    def places(found: Iterable[int]) -> tuple[int, ...]:
        return tuple(starts[place] for place in found if place in starts)

    dates = find_dates(sentence)
    dated = {place for date in dates for place in range(date.start, date.end)}
    return _AnalysedSentence(
        AnalysedText(sentence),
        stems,
        places(date.start for date in dates),
        places(each.start for each in find_quantities(sentence) if each.start not in dated),
        tuple((starts[name.start], name.text) for name in find_names(sentence) if name.start in starts),
    )


@lru_cache(maxsize=256)
def question_weights(asked: QuestionPart) -> Mapping[str, float]:
    stems = asked.stems[:_MOST_STEMS]
    wanted = [each for each in stems if each not in _ASKED_WORDS and not _ASKING.search(each)] or stems
    return {each: _weight(each, _question(asked.text).names) for each in wanted}


def _weight(each: str, names: frozenset[str]) -> float:
    return 1 + 0.5 * min(1, len(each) / 8) + (1.0 if each[0].isdigit() else 0.7 if each in names else 0)


@lru_cache(maxsize=256)
def _plain(asked: QuestionPart) -> Mapping[str, float]:
    names = _question(asked.text).names
    return {each: 1.0 for each in question_weights(asked) if each not in names and not each[0].isdigit()}


def _covered(weights: Mapping[str, float], shares: Mapping[str, float]) -> float:
    total = sum(weights.values())
    return sum(weight * shares[each] for each, weight in weights.items()) / total if total else 0.0


def _near(asked: QuestionPart, said: _AnalysedSentence, weights: Mapping[str, float]) -> float:
    asked_words = _question(asked.text).related_stems.stems
    names = [place for place, name in said.names if not asked_words.issuperset(AnalysedText(name).stems)]
    by_kind: Mapping[Kind, Sequence[int]] = {
        "when": said.dates,
        "number": said.numbers,
        "amount": said.numbers,
        "who": names,
        "where": names,
    }
    places = by_kind.get(asked.kind, range(0, len(said.stems), _REACH))[:40]
    around = (frozenset(said.stems[max(0, at - _REACH) : at + _REACH + 1]) for at in places)
    shares = [_covered(weights, {each: _near_similarity(each, found) for each in weights}) for found in around]
    return max(shares, default=0.0)


def _near_similarity(each: str, found: frozenset[str]) -> float:
    if each in found:
        return 1.0
    return 0.8 if len(each) > 4 and any(other.startswith(each[:5]) for other in found) else 0.0


def _is_denied(kind: Kind, question: AnalysedText, said: AnalysedText) -> bool:
    """Whether one denies what the other asserts: "what is not exempt" and "exempt from", "who has" and "do not have".

    Questions whether something is so, and which rules apply, may be answered with a denial.
    """
    if _NEGATED.search(question.text) or question.denied:
        return not question.denied & said.denied
    if kind in ("decision", "definition", "how", "matter") or _RULES.search(question.text):
        return False
    return bool(said.denied & question.related_stems.stems)


def _opposed(question: AnalysedText, said: AnalysedText) -> bool:
    # "accept" and "reject", "formal" and "informal".
    mine, theirs = question.related_stems.stems, said.related_stems.stems
    return (
        opposites(mine, theirs) is not None
        or _affixed(mine - theirs, theirs - mine)
        or _affixed(theirs - mine, mine - theirs)
    )


def _affixed(bare: Set[str], denied: Set[str]) -> bool:
    return any(f"{prefix}{each}" in denied for each in bare if len(each) > 3 for prefix in _DENYING)
