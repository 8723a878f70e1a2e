"""Lexical search: the lexemes under which passages are indexed and looked up, the words of a question that take part in
the search, and the score of a passage by BM25 with pairs of neighbouring words.

A word of a script that separates words is one lexeme: its stem, unless it is a stop word. Words in Hangul, Han and Kana
become overlapping pairs of characters, as in Lucene's CJKAnalyzer, so that compounds and particles need no dictionary.
A fiscal period such as FY2018 or Q22023 is also found under its year and quarter. When 400 Korean sentences were looked
up by sentences that follow from them (KLUE-NLI), pairs put 95.8 % of them first, stems 90.8 %.

Analysts ask for "capex" or "working capital", and statements say "Purchases of property and equipment" and "Total
current liabilities". Such further words weigh less than the question's own words (docs/internals/retrieval.md).

BM25 (Robertson and Zaragoza, 2009) is in Lucene's form, with k1 = 0.9 and b = 0.4 as in Anserini. Words that are
neighbours in the question and in the passage, in either order, have an additional score, that of the rarer word: the
sequential dependence model (Metzler and Croft, SIGIR 2005). Pairs of characters get no such score, because they overlap
and so keep their order already. Words that ask for a calculation count little.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Generic, TypeVar

from citewell_verify.text.sentences import split_sentences
from citewell_verify.text.words import CALCULATIONS, STOP_WORDS, split_units, stem

_UNSPACED = re.compile("[぀-ヿ㐀-䶿一-鿿가-힣]")
_UNSPACED_RUN = re.compile(f"{_UNSPACED.pattern}+")
_RUNS = re.compile("[぀-ヿ㐀-䶿一-鿿가-힣]+|[^぀-ヿ㐀-䶿一-鿿가-힣]+")
_MARKS = "".join(map(chr, (code for code in range(0x10000) if unicodedata.category(chr(code)) in ("Mn", "Mc"))))
_PLAIN_WORD = re.compile(r"\w+(?:[.,]\d+)*")
_WORD = re.compile(rf"\w[\w{_MARKS}]*(?:[.,]\d+)*")
# Classes of combining characters: the points of Arabic and Hebrew, and marks above, below or through a letter.
_POINTS = range(10, 37)
_ABOVE_AND_BELOW = 200
_PERIOD = re.compile(r"(?:fy|(q[1-4]|[1-4]q|h[12]))((?:19|20)\d\d)")
_LONGEST = 100  # characters; longer runs are keys or damaged text, and Postgres limits the length of a lexeme


_MOST_CHARS = 4_000  # characters of a question: a longer one is a text
_MOST_FURTHER = 48
_ABOUT_ANSWERS = re.compile(
    r"^\W*(?:please\s+)?(?:round|answer|respond|reply)\s+(?:your|the\s+(?:answer|result)|in|with|to|briefly|only)\b"
    r"|^\W*you are an?\s(?:\w+\s){0,3}(?:analyst|accountant|assistant|auditor|expert)\b"
    r"|^\W*(?:please\s+)?(?:give|provide|write)\s+(?:me\s+)?(?:an?\s|the\s|your\s|us\s)?(?:short\s|brief\s)?(?:answer|response|solution|reply)\b"
    r"|\b(?:round|base|basing|express|keep)\s+(?:your|the)\s+(?:answers?|judge?ments?|response)\b"
    r"|\b(?:then|please)\s+(?:please\s+)?(?:state|explain|say)\s+(?:that|so|why)\b|\bexplain\s+why\W*$"
    r"|(?:(?:답변|대답|답)(?:은|을|해)|반올림|소수점)[^.?!\n]{0,60}(?:주세요|주십시오|하세요|하시오|바랍니다|할 것)",
    re.IGNORECASE,
)
_TERMS = {
    r"cap-?ex|capital (?:expenditures?|intensive|intensity|spending)": "purchases property plant equipment additions "
    "capital expenditures",
    r"cogs|cost of goods": "cost of goods sold cost of sales cost of revenue",
    r"p ?& ?l|income statement|statements? of (?:income|operations|earnings)|profit and loss": "consolidated "
    "statements of income operations earnings",
    r"balance sheet|statement of financial position": "consolidated balance sheets total assets total liabilities",
    r"operating cash ?flows?|cash (?:flows? )?from operat\w+": "net cash provided by operating activities",
    r"free cash ?flows?|(?-i:FCF)": "net cash provided by operating activities purchases property plant equipment",
    r"(?:statement of )?cash ?flows?(?: statement)?": "consolidated statements of cash flows",
    r"working capital|current ratio": "total current assets total current liabilities",
    r"quick ratio|liquidity": "total current assets total current liabilities cash equivalents receivables",
    r"gross margins?": "gross profit cost of sales net sales revenue",
    r"operating margins?|ebit": "operating income income from operations net sales revenue",
    r"ebitda|d ?& ?a": "operating income depreciation amortization",
    r"inventory turnover|days inventory": "inventories cost of sales",
    r"days payables?(?: outstanding)?|(?-i:DPO)": "accounts payable cost of sales inventories",
    r"days sales outstanding|(?-i:DSO)": "accounts receivable net sales revenue",
    r"return on (?:assets|equity)|(?-i:ROA|ROE)": "net income total assets total equity",
    r"payout ratio|retention ratio": "dividends paid net income",
    r"top ?-?line": "net sales revenues",
    r"interest coverage": "operating income interest expense",
    r"sg ?& ?a": "selling general administrative expenses",
    r"r ?& ?d": "research development expenses",
    r"pp ?& ?e|ppne|fixed assets?": "property plant equipment net",
    r"(?-i:EPS)": "earnings per share diluted",
    r"effective tax rate": "effective income tax rate provision for income taxes",
}
_TERM = re.compile("|".join(rf"(?P<t{at}>(?<!\w)(?:{term})(?!\w))" for at, term in enumerate(_TERMS)), re.IGNORECASE)
K = TypeVar("K", bound=Hashable)
_K1 = 0.9
_B = 0.4
_PAIRS = 0.5
_CALCULATION = 0.2
FURTHER = 0.3
"""The weight of further words (domain.retrieval.lexemes) relative to a question's own."""


def lexemes(text: str) -> list[str]:
    return [lexeme for word in _words(text) for part in split_units(word) for lexeme in _of_word(part)]


def is_unspaced(lexeme: str) -> bool:
    """True if the lexeme is made of characters of a word in Hangul, Han or Kana."""
    return _UNSPACED.match(lexeme) is not None


def matched_spans(question: str, text: str) -> list[tuple[int, int]]:
    """The (start, end) of the words of `text` that the lexical search finds with `question`, in order.

    In words of Hangul, Han and Kana, only the pairs of characters that match are returned.
    """
    asked = frozenset(lexemes(question))
    spans: list[tuple[int, int]] = []
    for start, end in _matching(asked, text):
        if spans and start < spans[-1][1]:
            spans[-1] = spans[-1][0], max(end, spans[-1][1])
        else:
            spans.append((start, end))
    return spans


def _words(text: str) -> list[str]:
    """The words of `text` without accents and vowel points, so that a question typed without them finds `Müller` and
    `مُحَمَّد`.

    Marks that distinguish Indic and Thai words are kept.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    if not folded.isascii():
        apart = unicodedata.normalize("NFKD", folded)
        kept = (
            character
            for character in apart
            if (place := unicodedata.combining(character)) not in _POINTS and place < _ABOVE_AND_BELOW
        )
        folded = unicodedata.normalize("NFC", "".join(kept))
    return _WORD.findall(folded)


def _of_word(word: str) -> list[str]:
    if period := _PERIOD.fullmatch(word):
        return [word, *filter(None, period.groups())]
    if not _UNSPACED.search(word):
        return [] if word in STOP_WORDS else [stem(word)[:_LONGEST]]
    parts: list[str] = []
    for run in _RUNS.findall(word):
        if _UNSPACED.match(run):
            parts += [run[at : at + 2] for at in range(len(run) - 1)] or [run]
        else:
            parts.append(run[:_LONGEST])
    return parts


def _matching(asked: frozenset[str], text: str) -> Iterator[tuple[int, int]]:
    for token in _PLAIN_WORD.finditer(text):
        unspaced = list(_UNSPACED_RUN.finditer(token[0]))
        for run in unspaced:
            at = token.start() + run.start()
            pairs = [(at + place, at + place + 2) for place in range(len(run[0]) - 1)] or [(at, at + len(run[0]))]
            yield from (pair for pair in pairs if not asked.isdisjoint(lexemes(text[pair[0] : pair[1]])))
        if not unspaced and not asked.isdisjoint(lexemes(token[0])):
            yield token.span()


_FURTHER = {f"t{at}": tuple(lexemes(words)) for at, words in enumerate(_TERMS.values())}


@dataclass(frozen=True, slots=True)
class SearchedQuestion:
    """The lexemes of a question in order, and `further` lexemes that passages with its answer may have."""

    own: tuple[str, ...]
    further: tuple[str, ...] = ()


@lru_cache(maxsize=256)
def searched_question(question: str) -> SearchedQuestion:
    own = tuple(lexemes(without_instructions(question)))
    terms = _TERM.finditer(question[:_MOST_CHARS])
    further = dict.fromkeys(lexeme for term in terms for lexeme in _FURTHER[term.lastgroup or ""])
    return SearchedQuestion(own, tuple(lexeme for lexeme in further if lexeme not in own)[:_MOST_FURTHER])


def without_instructions(question: str) -> str:
    """The question without sentences that say how to answer, if a sentence that asks something is left."""
    sentences = [question[sentence.start : sentence.end] for sentence in split_sentences(question[:_MOST_CHARS])]
    kept = [
        sentence for sentence in sentences if sentence.rstrip().endswith("?") or not _ABOUT_ANSWERS.search(sentence)
    ]
    asks = any(sentence.rstrip().endswith("?") for sentence in kept) and len(question) <= _MOST_CHARS
    return " ".join(sentence.strip() for sentence in kept) if asks and len(kept) < len(sentences) else question


@dataclass(frozen=True, slots=True)
class Collection:
    """The searched collection: the number of passages, their mean length in lexemes, and the number of passages that
    have each lexeme."""

    passages: int
    mean_length: float
    frequencies: Mapping[str, int]

    def rarity(self, lexeme: str) -> float:
        """The inverse document frequency of BM25, never negative."""
        having = self.frequencies.get(lexeme, 0)
        return math.log(1 + (max(self.passages - having, 0) + 0.5) / (having + 0.5))

    def weight(self, lexeme: str) -> float:
        """The weight of a lexeme of the question: its rarity, reduced if the lexeme asks for a calculation."""
        return self.rarity(lexeme) * (_CALCULATION if lexeme in CALCULATIONS else 1.0)


@dataclass(frozen=True, slots=True)
class Occurrences(Generic[K]):
    """The places, from 1, of the question's lexemes in a passage of `length` lexemes."""

    key: K
    length: int
    places: Mapping[str, Sequence[int]]


def lexical_order(
    question: Sequence[str], passages: Sequence[Occurrences[K]], collection: Collection, further: Sequence[str] = ()
) -> list[K]:
    """Return the keys of the passages that have any lexeme of the question, best match first.

    Passages with equal scores stay in the given order.
    """
    return [key for key, _ in lexical_scores(question, passages, collection, further)]


def words_order(question: str, said: Mapping[K, Sequence[str]]) -> list[K]:
    """Return the keys of the texts that have any lexeme of the question, best match first. `said` has the lexemes of
    each text; these texts together are the collection."""
    asked = searched_question(question)
    frequencies = Counter(lexeme for own in said.values() for lexeme in set(own))
    collection = Collection(len(said), sum(map(len, said.values())) / max(len(said), 1), frequencies)
    wanted = {*asked.own, *asked.further}
    passages: list[Occurrences[K]] = []
    for key, own in said.items():
        places: dict[str, list[int]] = {}
        for place, lexeme in enumerate(own, start=1):
            if lexeme in wanted:
                places.setdefault(lexeme, []).append(place)
        passages.append(Occurrences(key, len(own), places))
    return lexical_order(asked.own, passages, collection, asked.further)


def lexical_scores(
    question: Sequence[str], passages: Sequence[Occurrences[K]], collection: Collection, further: Sequence[str] = ()
) -> list[tuple[K, float]]:
    """Return the keys as `lexical_order` does, with their scores."""
    asked, beside = PreparedQuestion(question, collection), PreparedQuestion(further, collection)
    scores = {
        passage.key: asked.score(passage) + FURTHER * (beside.score(passage) if further else 0) for passage in passages
    }
    return sorted(((key, score) for key, score in scores.items() if score > 0), key=lambda item: -item[1])


class PreparedQuestion:
    """A question, read once for all passages: the time for a passage depends only on the lexemes that it shares with
    the question, not on the question's length.
    """

    def __init__(self, question: Sequence[str], collection: Collection) -> None:
        self._mean_length = collection.mean_length
        self._weights = {lexeme: collection.weight(lexeme) for lexeme in set(question)}
        # Floats are added in this order, regardless of a passage's order of lexemes.
        self._ranks = {lexeme: rank for rank, lexeme in enumerate(self._weights)}
        self._pairs = {
            _pair(first, second): rank
            for rank, (first, second) in enumerate(pairwise(question))
            if first != second and not (is_unspaced(first) and is_unspaced(second))
        }

    def score(self, passage: Occurrences[Any]) -> float:
        """Return the score of one passage, 0 or more; scores for the same question are comparable."""
        length = passage.length / self._mean_length if self._mean_length else 1.0
        shared = sorted(filter(self._ranks.__contains__, passage.places), key=self._ranks.__getitem__)
        alone = sum(self._weights[lexeme] * _saturated(len(passage.places[lexeme]), length) for lexeme in shared)
        beside = self._neighbours({lexeme: passage.places[lexeme] for lexeme in shared})
        together = sum(
            min(self._weights[first], self._weights[second]) * _saturated(beside[first, second], length)
            for first, second in sorted(beside, key=self._pairs.__getitem__)
        )
        return alone + _PAIRS * together

    def _neighbours(self, places: Mapping[str, Sequence[int]]) -> Counter[tuple[str, str]]:
        at: dict[int, list[str]] = {}
        for lexeme, positions in places.items():
            for place in positions:
                at.setdefault(place, []).append(lexeme)
        beside = (
            _pair(here, following)
            for place, standing in at.items()
            for here in standing
            for following in at.get(place + 1, ())
        )
        return Counter(pair for pair in beside if pair in self._pairs)


def _pair(first: str, second: str) -> tuple[str, str]:
    return min(first, second), max(first, second)


def _saturated(count: int, length: float) -> float:
    """The saturated count of BM25: a repeated word adds less each time, and less in a long passage; `length` is
    relative to the mean.
    """
    return count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length)) if count else 0.0
