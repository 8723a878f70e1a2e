"""The words of an English or Korean text for lexical checks: their stems, their negations, and opposites among them.

A stem is a key for comparisons, not a dictionary form: the inflections of one word have the same key, different words
rarely do.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from rapidfuzz import process
from rapidfuzz.distance import OSA, Prefix

_WORD = re.compile(r"\w+(?:[.,]\d+)*", re.UNICODE)
_NUMBER_AND_UNIT = re.compile(r"(?<![\d.,])(\d[\d.,]*+)([^\W\d]+)")


_KOREAN_TAIL = re.compile(
    "(?:이었습니다|이었다|입니다|이다|이며|이고|이라고|라고|라는|에서는|에서의|에서도|에서|에게서|에게|에는|에도|에|으로부터|으로는|으로서"
    "|으로써|으로|로부터|로는|로서|로써|로|부터|까지의|까지|마다|조차|밖에|처럼|보다|만큼|께서|한테|하고|이나|나|이란|란|은|는|이|가|을|를"
    "|의|도|만|과|와|들은|들이|들을|들의|들"
    "|지|지는|지도|았다|었다|였다|았습니다|었습니다|습니다|는다|다)$"
)
# A noun becomes a verb by 하다, 되다 or 시키다, whose endings are many: 신청하려면, 공개되었으며.
_KOREAN_VERB = re.compile(
    "(?<=..)(?:하(?:다|는|고|며|기|지|지만|면|게|니|던|자|라|나요|도록|므로|거나|(?:기[는도로만]|지[는도]|려|여|였|시|세|셨|더라)[가-힣]*)"
    "|해(?:서|야|도|요|라)?|했(?:다|던|으|었|습|고|지|는)[가-힣]*|한(?:다[가-힣]*)?|할|합니[다까][가-힣]*"
    "|되(?:다|는|고|며|면|기|지|어|던|나요|도록|므로|거나|(?:지[는도]|려|었)[가-힣]*)|돼(?:서|야|도|요)|됐[가-힣]*|된(?:다[가-힣]*)?|될|됩니[다까][가-힣]*"
    "|시[키킨켰][가-힣]*)$"
)
_ENGLISH_TAILS = (
    (re.compile("(?:(?<=.i)es|(?<=ss)es|(?<=sh)es|(?<=ch)es|(?<=[xz])es|(?<=[^siu])s)$"), ""),
    (re.compile("(?<=[a-z][aeiouy][a-z])(?:ing|ed)$|(?<=[aeiouy][a-z][a-z])(?:ing|ed)$"), ""),
    (re.compile("(?<=[a-z]{3})ly$"), ""),
    (re.compile("([bdfgkmnprt])\\1$"), r"\1"),
    (re.compile("(?<=..)e$"), ""),
    (re.compile("(?<=[^aeiou])y$"), "i"),
)
_LIKE = 0.6
_LONG = 5  # letters of a word for each letter that may be misspelt
_LONGEST = 100  # no word is longer, and a longer text made only of endings would be stripped one by one
_SPELLED = {
    word: str(value)
    for value, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
_KOREAN_CUE = re.compile(r"(?:않|못하|못했|못한|없|아니|아닌|아닙)")
_CONTRACTED = re.compile(r"n ?['’] ?t\b|\b(?:cannot|(?:fail(?:ed|s)?|unable) to)\b")
_NO_DENIAL = re.compile(
    r"\b(?:not only|not just|not all|not necessarily|or not|no (?:later|longer|more|less|fewer) than|no doubt|no\.)"
    r"|\bnot (?:sure|certain|know|think|believe|really)\b|^no,"
)
_QUOTED = re.compile(r'["“][^"“”]{1,80}["”]')
_CLAUSE_END = re.compile(r"[,;:()]|\b(?:but|and|because|although|though|while|until|unless|since|if)\b")
_MOST_CUES, _REACH = 20, 20  # cues of one clause; words between a cue and the word that it denies


def words(text: str) -> list[str]:
    """Return the words of `text` in order: NFKC-normalised, case-folded; a number keeps its inner separators."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def vocabulary(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


STOP_WORDS = vocabulary("""
    a about according again all also although am an and another any are aren as at be because been being both but by
    can could couldn d did didn do does doesn doing don done each either even ever every for from further get got had
    hadn has hasn have haven having he her here hers him his how however i if in into is isn it its itself just let
    like ll m made make many may me might more most much must my no nor not of on onto or other our out over own per
    re s same shall she should shouldn so some such t than that the their theirs them then there these they this those
    though through thus to too under until up upon us ve very via was wasn we well were weren what when where whether
    th which while who whom whose why will with within would wouldn yes you your yours
    그 그것 그는 그녀 그녀는 그들 그리고 그러나 그런 그래서 하지만 또 또는 또한 및 등 이 이것 이는 이런 저 것 것이다
    것은 것을 것이 수 때 더 매우 가장 모두 다른 있다 있는 있습니다 있으며 있고 있었다 있나요 하다 하는 하고 하며
    하여 한 할 해 했다 했습니다 한다 합니다 하였다 하나요 된 된다 됩니다 되는 되어 되었다 됐다 이다 입니다 인 이며
    대한 대해 대하여 위한 위해 위하여 따라 따른 통해 통한 의한 의해 무엇 무엇인가요 무엇입니까 무엇을 무슨 어떤
    어떻게 어디 어디에 어디에서 언제 누구 누가 왜 몇 얼마 얼마나 얼마인가요 인가요 입니까 않는다 않다 않은 않았다
    없다 없는 없습니다 아니다 아닙니다 아닌
""")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the key under which `word` (as from `words`, not empty) is compared; spelled numbers become digits."""
    if len(word) > _LONGEST:
        return word
    if "가" <= word[-1] <= "힣":
        shorter = _KOREAN_VERB.sub("", word)
        shorter = _KOREAN_TAIL.sub("", word) if shorter == word else shorter
        is_left = shorter not in (word, "") and (len(shorter) > 1 or shorter.isascii())
        return stem(shorter) if is_left else word
    if word[0].isdigit():
        return word.replace(",", "")
    return _SPELLED.get(word) or _english_stem(word)


def _english_stem(word: str) -> str:
    if len(word) < 4 or not word.isascii():
        return word
    for tail, replacement in _ENGLISH_TAILS:
        word = tail.sub(replacement, word)
    return word


def content_stems(text: str) -> list[str]:
    return list(_content_stems(text))


@lru_cache(maxsize=8192)
def _content_stems(text: str) -> tuple[str, ...]:
    """The stems, cached, because every check of every statement that cites a source reads its sentences."""
    return tuple(meaningful(words(text)))


def meaningful(tokens: Iterable[str]) -> list[str]:
    """Return the stems of the `tokens` (as from `words`) that have a meaning of their own, in order.

    A number and a unit attached to it are two words: `30일`, `3,940억`, `100km`.
    """
    parts = (part for token in tokens for part in split_units(token))
    return [stem(part) for part in parts if part not in STOP_WORDS]


def split_units(token: str) -> list[str]:
    """Return the parts of a token (as from `words`): a number and the unit attached to it are two."""
    return _NUMBER_AND_UNIT.sub(r"\1 \2", token).split()


def coverage(wanted: Sequence[str], known: Set[str]) -> float:
    """Return the share of the stems `wanted` that is in `known`, 0..1; 0 when nothing is wanted.

    A stem that shares its beginning with one in `known` counts for the shared part: `manufactur` and `manufacturer`,
    `고양` and `고양이`.
    """
    if not wanted:
        return 0.0
    shortest = _beginnings(known, frozenset(prefix_keys(tuple(wanted))))
    if not shortest:
        return sum(word in known for word in wanted) / len(wanted)
    return sum(1.0 if word in known else _best_similarity(word, shortest) for word in wanted) / len(wanted)


def _beginnings(known: Set[str], heads: Set[str]) -> Mapping[str, int]:
    """Return the beginnings of the stems that have one of these heads, with the length of the shortest such stem.

    A text may have thousands of stems with the same first letters; this avoids comparing one with each of the others.
    """
    shortest: dict[str, int] = {}
    for candidate in known if heads else ():
        length = len(candidate)
        if length > _LONGEST or candidate[: _prefix_length(candidate)] not in heads:
            continue
        for size in range(max(_prefix_length(candidate), ceil(_LIKE * length)), length + 1):
            beginning = candidate[:size]
            shortest[beginning] = min(shortest.get(beginning, length), length)
    return shortest


def _best_similarity(word: str, shortest: Mapping[str, int]) -> float:
    length = len(word) if len(word) <= _LONGEST else 0
    sizes = range(max(_prefix_length(word), ceil(_LIKE * length)), length + 1) if shortest else ()
    shares = (size / max(length, shortest[word[:size]]) for size in sizes if word[:size] in shortest)
    alike = max(shares, default=0.0)
    return alike if alike >= _LIKE else 0.0


def _prefix_length(word: str) -> int:
    """The number of characters that show that two words are alike; a Korean syllable shows more than a letter."""
    return 2 if word[0] >= "가" else 4


def stem_similarity(left: str, right: str) -> float:
    """Return the share of letters in the common beginning of two stems, 0..1; 0 if too little to mean anything."""
    shared = Prefix.similarity(left, right) / max(len(left), len(right))
    return shared if shared >= _LIKE else 0.0


@lru_cache(maxsize=256)
def prefix_keys(stems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the head of each of these stems; cached, because a claim is compared with many passages."""
    return tuple(map(prefix_key, stems))


def prefix_key(word: str) -> str:
    return word[: _prefix_length(word)]


def as_spelt(wanted: Sequence[str], known: Set[str]) -> list[str]:
    """Replace words that are not `known` by the known one that they misspell, one letter in five: "shfit"."""
    spelt: list[str] = []
    for word in wanted:
        unknown = len(word) >= _LONG and not coverage([word], known)
        near = [known_word for known_word in known if known_word[:1] == word[:1]] if unknown else []
        alike = process.extractOne(word, near, scorer=OSA.distance, score_cutoff=len(word) // _LONG)
        spelt.append(alike[0] if alike else word)
    return spelt


CALCULATIONS = frozenset(
    map(
        stem,
        vocabulary("""
            amount amounts average averages change changes difference differences percent percentage ratio respectively
            평균 차이 증감 비율 금액
        """),
    )
)
"""Stems, which are also lexemes, of words with which a question asks for a calculation: a question about "the average
of other assets" is answered by a text that says "Other assets". Such words are rare near the answer, and frequent
elsewhere.
"""


_CUES = vocabulary("not no never none neither nor cannot without hardly nobody")


def letters(text: str) -> str:
    """Return the letters and digits of a text, by which two copies of it are told to be one."""
    return "".join(filter(str.isalnum, text.casefold()))


@dataclass(frozen=True, slots=True)
class Negation:
    """One negation: the stems that it negates, and all stems of its clause, each in order."""

    denied: tuple[str, ...]
    clause: tuple[str, ...]


def negations(sentence: str) -> list[Negation]:
    """Return the negations of `sentence`, except those without effect, such as "not only"."""
    text = _CONTRACTED.sub(" not ", _QUOTED.sub(" ", sentence.lower()))
    return [
        denial for clause in _CLAUSE_END.split(_NO_DENIAL.sub(" ", text)) for denial in _find_negations(words(clause))
    ]


def _find_negations(tokens: list[str]) -> Iterator[Negation]:
    cues = [place for place, token in enumerate(tokens) if token in _CUES or _KOREAN_CUE.match(token)][:_MOST_CUES]
    if not cues:
        return
    clause = tuple(meaningful(token for token in tokens if token not in _CUES and not _KOREAN_CUE.match(token)))
    for place in cues:
        if tokens[place] in _CUES:
            denied = meaningful(tokens[place + 1 : place + 1 + _REACH])[:2]
        else:
            denied = meaningful(tokens[max(0, place - _REACH) : place])[-1:]
        if denied:
            yield Negation(tuple(denied), clause)
