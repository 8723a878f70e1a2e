"""A text as lexical search sees it: the lexemes under which passages are indexed and questions look them up.

A word of a script that writes its words apart is one lexeme: its stem, unless it is a stop word. Words in Hangul, Han
and Kana are taken apart into overlapping pairs of characters, as Lucene's CJKAnalyzer does: compounds and particles
need no dictionary then. Of 400 Korean sentences looked up by what follows from them (KLUE-NLI), pairs put 95.8 % first,
stems 90.8 %.
"""

import re
import unicodedata

from domain.words import STOP_WORDS, split_units, stem, words

_UNSPACED = re.compile("[぀-ヿ㐀-䶿一-鿿가-힣]")
_RUNS = re.compile("[぀-ヿ㐀-䶿一-鿿가-힣]+|[^぀-ヿ㐀-䶿一-鿿가-힣]+")
_LONGEST = 100  # characters; longer runs are keys or damaged text, and Postgres bounds the length of a lexeme


def lexemes(text: str) -> list[str]:
    """Return the lexemes of `text` in order, repetitions included; none is empty or holds white space or quotes."""
    return [lexeme for word in words(text) for part in split_units(word) for lexeme in _of_word(part)]


def _of_word(word: str) -> list[str]:
    if not _UNSPACED.search(word):
        return [] if word in STOP_WORDS else [stem(_bare(word))[:_LONGEST]]
    return [lexeme for run in _RUNS.findall(word) for lexeme in _of_run(run)]


def _of_run(run: str) -> list[str]:
    if not _UNSPACED.match(run):
        return [run[:_LONGEST]]
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _bare(word: str) -> str:
    """Without accents: a question typed without them finds `Müller` and `café`.

    Only what stands above, below or through a letter (combining class 200 and more) is one: signs of Indic and Arabic
    scripts make other words.
    """
    if word.isascii():
        return word
    return "".join(each for each in unicodedata.normalize("NFKD", word) if unicodedata.combining(each) < 200)
