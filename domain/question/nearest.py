"""Refuses a question before anything is written, and selects the passages that mention what was asked (V8)."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from citewell_verify.evidence.spans import best_text_span
from citewell_verify.question.features import question_weights
from citewell_verify.question.named_things import missing_things
from citewell_verify.question.question_parts import is_greeting, parts_of
from citewell_verify.text.quotes import WordIndex
from citewell_verify.text.sentences import split_sentences
from citewell_verify.text.windows import text_cache
from citewell_verify.text.words import content_stems, coverage

NOT_A_QUESTION = (
    "This is a greeting and asks nothing of the documents. Ask about what is in them, and you get an answer."
)


def why_refused(question: str, passages: Sequence[str]) -> str:
    """Return, in a sentence for users, why the question cannot be answered from `passages`; "" if it can.

    A passage is its text with its file's name and its headings. Deterministic, and silent when in doubt.
    """
    if is_greeting(question):
        return NOT_A_QUESTION
    missing = [thing.text for thing in missing_things(question, passages)]
    if not missing:
        return ""
    named = " or ".join(f"“{text}”" for text in missing[:3])
    return f"The question is about {named}, which no passage of the documents names."


_WORD = re.compile(r"\w")
_MOST = 3
_MOST_CHARS = 600_000  # of passages that are remembered: their reading takes far more memory than they do
_SHORTEST, _LONGEST = 40, 240  # characters of a quotation
_MOST_PIECES = 8  # lines or sentences of one
_EACH_MORE = 0.06  # share of the question that a further line has to add
_SAME_WORD, _SAME_TEXT = 0.5, 0.8  # shares from which on it is the same
_AGAIN = 0.3  # what a word of the question weighs once a quotation has it
_SHARED = 0.35  # share of the question, by weight, under which a passage mentions nothing of it


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence, or a row of a table with the first row of that table, which names its columns."""

    text: str
    stems: frozenset[str]
    columns: str = ""


@dataclass(frozen=True, slots=True)
class _Passage:
    pieces: tuple[_Piece, ...]
    index: WordIndex

    def has(self, stem: str) -> Mapping[int, float]:
        return self.index.coverages([stem])


@dataclass(frozen=True, slots=True)
class _Quote:
    """Neighbouring pieces of a passage; `has` is how far they have each word of the question, 0..1."""

    passage: int
    pieces: Sequence[_Piece]
    has: Mapping[str, float]

    @property
    def text(self) -> str:
        columns, said = self.pieces[0].columns, " ".join(piece.text for piece in self.pieces)
        return f"{columns} … {said}" if columns and columns not in said else said

    @property
    def stems(self) -> frozenset[str]:
        return frozenset[str]().union(*(piece.stems for piece in self.pieces))

    def adds(self, piece: _Piece) -> bool:
        return not all(coverage([stem], self.has.keys()) for stem in piece.stems)

    @property
    def words(self) -> frozenset[str]:
        return frozenset(stem for stem, share in self.has.items() if share > _SAME_WORD)


def mentions(question: str, passages: Sequence[str]) -> list[tuple[int, str]]:
    """Return (passage number from 0, its words that share most with the question), nearest first, at most three.

    The words are on one line and no answer: a caption or a row of a table may be the nearest. Words that few passages
    have count most, and each next quotation is chosen for what those before it lack. Linear in all lengths.
    """
    read = [_passage(text) for text in passages]
    weights = _rarity(question, read)
    quotes = [quote for number, passage in enumerate(read) for quote in _quotes(number, passage, weights)]
    chosen: list[_Quote] = []
    for _ in range(_MOST):
        known = frozenset[str]().union(*(quote.words for quote in chosen))
        lowered = {stem: weight * (_AGAIN if stem in known else 1.0) for stem, weight in weights.items()}
        quotes = [quote for quote in quotes if not any(_repeats(quote, before, known) for before in chosen)]
        chosen += sorted(quotes, key=lambda quote: -_worth(quote, lowered))[:1]
    shortened: list[tuple[int, str]] = []
    for quote in chosen:
        text = quote.text
        start, end = best_text_span(text, question, _SHORTEST, _LONGEST) if len(text) > _LONGEST else (0, len(text))
        shortened.append((quote.passage, text[start:end]))
    return shortened


@text_cache(_MOST_CHARS)
def _passage(text: str) -> _Passage:
    pieces = tuple(_read(text))
    return _Passage(pieces, WordIndex(piece.stems for piece in pieces))


def _read(text: str) -> Iterator[_Piece]:
    columns = ""
    for line in filter(_WORD.search, text.splitlines()):
        if "\t" in line.strip() or line.lstrip().startswith("|"):
            row = " ".join(line.split())
            yield _Piece(row, frozenset(content_stems(f"{columns} {row}")), columns)
            columns = columns or row
        else:
            columns = ""
            for sentence in split_sentences(line):
                yield _Piece(" ".join(sentence.text.split()), frozenset(content_stems(sentence.text)))


def _rarity(question: str, passages: Sequence[_Passage]) -> Mapping[str, float]:
    wanted = {stem: weight for part in parts_of(question) for stem, weight in question_weights(part).items()}
    having = Counter(
        stem for stem in wanted for passage in passages if max(passage.has(stem).values(), default=0.0) > _SAME_WORD
    )
    rare = {stem: weight * math.log(1 + len(passages) / (having[stem] or 1)) for stem, weight in wanted.items()}
    total = sum(rare.values()) or 1.0
    return {stem: weight / total for stem, weight in rare.items()}


def _quotes(number: int, passage: _Passage, weights: Mapping[str, float]) -> Iterator[_Quote]:
    """The quotations of a passage that have something beyond the question, which a heading alone has not."""
    shares, pieces, fewest = {stem: passage.has(stem) for stem in weights}, passage.pieces, min(2, len(weights) - 1)
    for start in sorted(frozenset[int]().union(*shares.values())):
        length, has = 0, dict.fromkeys(weights, 0.0)
        for end in range(start, min(start + _MOST_PIECES, len(pieces))):
            length += len(pieces[end].text) + 1
            if end > start and length > _LONGEST:
                break
            has = {stem: max(share, shares[stem].get(end, 0.0)) for stem, share in has.items()}
            quote = _Quote(number, pieces[start : end + 1], has)
            if _share(quote, weights) >= _SHARED and len(quote.words) >= fewest and any(map(quote.adds, quote.pieces)):
                yield quote


def _share(quote: _Quote, weights: Mapping[str, float]) -> float:
    return sum(weight * quote.has[stem] for stem, weight in weights.items())


def _worth(quote: _Quote, weights: Mapping[str, float]) -> float:
    saying = sum(map(quote.adds, quote.pieces))
    return _share(quote, weights) - _EACH_MORE * (saying - 1)


def _repeats(quote: _Quote, before: _Quote, known: Set[str]) -> bool:
    if quote.passage == before.passage:
        return known >= quote.words or any(piece is quoted for piece in quote.pieces for quoted in before.pieces)
    return len(quote.stems & before.stems) > _SAME_TEXT * len(quote.stems)
