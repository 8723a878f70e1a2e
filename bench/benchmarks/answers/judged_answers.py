"""Questions with their acceptable answers, and the table of results.

A question is a line of JSON. `accept` has alternatives, each with the strings that an answer must have together, or
`least` of them; `about` are names of which the answer must have one, where the strings alone could occur by chance.
`refuse`: a refusal is right; with `accept` either is right. `documents` are the files that have the answer.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Literal

from rich.console import Console
from rich.table import Table

Worth = Literal["useful", "rightly refused", "partly", "wrong, green", "wrong, marked", "wrong refusal"]
_WORTHS: tuple[Worth, ...] = (
    "useful", "rightly refused", "partly", "wrong, green", "wrong, marked", "wrong refusal",
)  # fmt: skip
_CARDS = 3
_ENOUGH_SHARED = 0.6  # of the words of the shorter text: a passage may be cut, or begin with headings
_HANGUL, _ASCII = re.compile("[가-힣]"), re.compile("[0-9a-z]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_CENTS = re.compile(r"(?<=\d)(\.\d*?)0+(?!\d)")
_CURRENCY = re.compile(r"\b(?:eur|usd|gbp|krw)\b|(?<=\d)(?:eur|usd|gbp|krw)\b|[€$£₩]")
_MARKS = re.compile(r"[|*`\t\n]|\[†?\d+\]|(?<=\s)#+(?=\s)")


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    kind: str
    language: str
    accept: tuple[tuple[str, ...], ...] = ()
    partly: tuple[tuple[str, ...], ...] = ()
    about: tuple[str, ...] = ()
    least: int = 0
    refuse: bool = False
    after: str = ""
    half: str = ""
    documents: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()
    """Texts, one of which the passage of the answer must come from, where they are known."""


@dataclass(frozen=True, slots=True)
class Card:
    """A passage beside an answer or a refusal, and its quoted words."""

    document: str
    passage: str
    quote: str


@dataclass(frozen=True, slots=True)
class Reply:
    """`answer` is None for a refusal; `is_green`: nothing about the answer warns its reader. `cards` are the cited
    passages, or those beside a refusal."""

    answer: str | None
    is_green: bool
    cards: tuple[Card, ...] = ()
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    question: Question
    reply: Reply
    line: str
    """The best line of the documents by BM25, which is the baseline."""

    @property
    def worth(self) -> Worth:
        return worth_of(self.question, self.reply)

    @property
    def is_line_useful(self) -> bool:
        return worth_of(self.question, Reply(self.line, is_green=True)) == "useful"


def read_questions(file: Path) -> list[Question]:
    return [_question(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines() if line]


def _question(record: dict[str, object]) -> Question:
    fields = {name: _frozen(value) for name, value in record.items() if name != "question"}
    return Question(text=str(record["question"]), **fields)  # pyright: ignore[reportArgumentType]


def _frozen(value: object) -> object:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value  # pyright: ignore[reportUnknownArgumentType]


def worth_of(question: Question, reply: Reply) -> Worth:
    if reply.answer is None:
        return "rightly refused" if question.refuse else "wrong refusal"
    if has_answer(question, reply.answer):
        return "useful"
    if _is_about(question, reply.answer) and any(
        has_string(reply.answer, string) for strings in (*question.accept, *question.partly) for string in strings
    ):
        return "partly"
    return "wrong, green" if reply.is_green else "wrong, marked"


def has_answer(question: Question, text: str) -> bool:
    return _is_about(question, text) and any(
        sum(has_string(text, string) for string in strings) >= (question.least or len(strings))
        for strings in question.accept
    )


def _is_about(question: Question, text: str) -> bool:
    return not question.about or any(has_string(text, name) for name in question.about)


def has_string(text: str, wanted: str) -> bool:
    """Return whether `wanted` is in `text`, ignoring case, white space, thousands separators, currencies and marks of
    tables.

    A word or number must occur as a whole; in Korean, where particles follow, it may be the beginning of a word.
    """
    looked_for = _plain(wanted)
    body = (
        r"\s*".join(map(re.escape, looked_for.replace(" ", "")))
        if _HANGUL.search(looked_for)
        else re.escape(looked_for)
    )
    first = r"(?<![0-9a-z])(?<!\d[.,])" if _ASCII.match(looked_for[:1]) else ""
    last = r"(?![0-9a-z])(?![.,]\d)" if _ASCII.match(looked_for[-1:]) else ""
    return re.search(first + body + last, _plain(text)) is not None


def _plain(text: str) -> str:
    folded = _MARKS.sub(" ", unicodedata.normalize("NFKC", text).casefold().replace("’", "'"))
    joined = _THOUSANDS.sub("", _CURRENCY.sub(" ", folded))
    shortened = _CENTS.sub(lambda cents: cents[1].rstrip("."), joined)
    return " ".join(shortened.split())


def is_shown(outcome: Outcome, of: Callable[[Card], str] = lambda card: card.passage) -> bool:
    """Return whether the first three cards have the answer, each being a passage of a document that has it."""
    question = outcome.question
    right = [card for card in outcome.reply.cards[:_CARDS] if _is_of(question, card)]
    # A card also shows its file's name and its headings.
    return has_answer(question, "\n".join(f"{card.document}\n{of(card)}" for card in right))


def _is_of(question: Question, card: Card) -> bool:
    if question.documents and card.document not in question.documents:
        return False
    return not question.passages or any(_share_words(card.passage, text) for text in question.passages)


def _share_words(passage: str, text: str) -> bool:
    first, second = set(_plain(passage).split()), set(_plain(text).split())
    return len(first & second) >= _ENOUGH_SHARED * min(len(first), len(second))


def show(title: str, outcomes: Sequence[Outcome], *, verbose: bool) -> None:
    """Print the table by kind of question and, if wanted, every question with its result."""
    if verbose:
        show_each(outcomes)
    table = Table(title=title)
    headings = ("kind", "number", *_WORTHS, "of these shown", "quoted", "BM25 line useful")
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "kind" else "right")
    for kind in dict.fromkeys(outcome.question.kind for outcome in outcomes):
        table.add_row(*_row(kind, [outcome for outcome in outcomes if outcome.question.kind == kind]))
    for language in dict.fromkeys(outcome.question.language for outcome in outcomes):
        table.add_section()
        table.add_row(*_row(language, [outcome for outcome in outcomes if outcome.question.language == language]))
    table.add_section()
    table.add_row(*_row("all", outcomes))
    Console(width=150).print(table)
    show_time(outcomes)


def show_each(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        _tell(outcome)


def show_time(outcomes: Sequence[Outcome]) -> None:
    seconds = [outcome.reply.seconds for outcome in outcomes]
    lengths = [len(outcome.reply.answer.split()) for outcome in outcomes if outcome.reply.answer]
    print(
        f"{1000 * mean(seconds):.0f} ms per question, {1000 * max(seconds):.0f} ms at most; an answer has "
        f"{median(lengths or [0]):.0f} words (median), at most {max(lengths, default=0)}"
    )


def _row(name: str, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    refused = [outcome for outcome in outcomes if outcome.worth == "wrong refusal"]
    return (
        name,
        str(len(outcomes)),
        *(_count(outcome.worth == worth for outcome in outcomes) for worth in _WORTHS),
        _count(is_shown(outcome) for outcome in refused),
        _count(is_shown(outcome, lambda card: card.quote) for outcome in refused),
        _count(outcome.is_line_useful for outcome in outcomes),
    )


def _count(hits: Iterable[bool]) -> str:
    return str(sum(hits) or "")


def _tell(outcome: Outcome) -> None:
    question, reply = outcome.question, outcome.reply
    shown = " shown" if reply.answer is None and not question.refuse and is_shown(outcome) else ""
    after = f" (after: {question.after})" if question.after else ""
    print(f"{outcome.worth + shown:22}[{question.kind}] {question.text}{after}")
    print(f"{'':10}{' '.join((reply.answer or reply.reason).split())[:400]}")
    if outcome.worth not in ("useful", "rightly refused"):
        for card in reply.cards[:_CARDS]:
            print(f"{'':12}{card.document}: {' '.join(card.quote.split())[:160]}")
