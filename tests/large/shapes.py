"""The largest and worst requests of each route: allowed, and most expensive."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Body = dict[str, Any]

ANSWER_CHARS, SOURCE_CHARS, QUESTION_CHARS = 99_000, 200_000, 4_000
_WORDS = ["".join(random.Random(n).choices("abcdefghijklmnoprstuvw", k=3 + n % 9)) for n in range(4_000)]


@dataclass(frozen=True)
class Shape:
    """One request: its route and its content."""

    name: str
    route: str
    body: Callable[[], Body]


def words(count: int, seed: int = 1) -> str:
    """`count` characters of random words."""
    return " ".join(random.Random(seed).choices(_WORDS, k=count // 5))[:count]


def _given(answer: str, *sources: str) -> Body:
    return {"answer": answer[:ANSWER_CHARS], "sources": [{"text": source} for source in sources]}


def _sentences(cited: str) -> str:
    return "".join(f"The {_WORDS[n % 4_000]} {n} weighs {n % 900} kg{cited}. " for n in range(3_100))


def _table(rows: int) -> str:
    return "| Year | Sales | Staff |\n|---|---|---|\n" + "".join(
        f"| {1900 + n % 120} | {n * 37 % 9973}.5 | {n} |\n" for n in range(rows)
    )


_KOREAN = "서울 사무소는 2019년에 직원 300명과 함께 문을 열었고 매출은 2조 원이었다 [1]. "

VERIFICATIONS = (
    Shape("one letter repeated", "verifications", lambda: _given("a" * 90_000 + " x [1].", "a" * SOURCE_CHARS + " x.")),
    Shape("random words", "verifications", lambda: _given(words(90_000) + " [1].", words(SOURCE_CHARS, 2) + ".")),
    Shape("nested brackets", "verifications", lambda: _given("a" + "([{" * 30_000 + " [1].", "([{" * 66_000 + " a.")),
    Shape("digits", "verifications", lambda: _given("1234567890 " * 8_000 + "[1].", "1234567890 " * 18_000)),
    Shape("markers", "verifications", lambda: _given("A fact" + "[1]" * 30_000, "A fact. " + "[1]" * 60_000)),
    Shape(
        "newlines", "verifications", lambda: _given("A fact [1].\n" + "\n" * 90_000 + "b", "\n" * 199_000 + "A fact.")
    ),
    Shape("tables", "verifications", lambda: _given(_table(4_500), _table(9_000))),
    Shape("3,100 short sentences", "verifications", lambda: _given(_sentences(" [1]"), words(SOURCE_CHARS) + ".")),
    Shape(
        "3,100 sentences, 100 sources",
        "verifications",
        lambda: _given(_sentences(""), *(_sentences("")[:2_000] for _ in range(100))),
    ),
    Shape(
        "one sentence", "verifications", lambda: _given("the cat and the dog, " * 4_500 + "[1].", "the dog, " * 22_000)
    ),
    Shape("Korean", "verifications", lambda: _given(_KOREAN * 1_700, _KOREAN.replace("[1]", "") * 4_500)),
    Shape("19 MB of sources", "verifications", lambda: _given("A fact [1].", *[words(190_000) + "."] * 100)),
)
QUESTIONS = (
    Shape("a question of one letter", "queries", lambda: {"question": "a" * QUESTION_CHARS}),
    Shape("a question of words", "queries", lambda: {"question": words(QUESTION_CHARS)}),
    Shape("a Korean question", "queries", lambda: {"question": "하고 " * (QUESTION_CHARS // 3)}),
    Shape(
        "a conversation", "completions", lambda: {"messages": [{"role": "user", "content": words(QUESTION_CHARS)}] * 20}
    ),
    Shape("a search", "search", lambda: {"query": words(QUESTION_CHARS)}),
    Shape("a citation", "citations", lambda: {"claim_text": words(4_000), "expected_text_span": words(10_000, 2)}),
    Shape(
        "a citation of one letter", "citations", lambda: {"claim_text": "a" * 4_000, "expected_text_span": "a" * 10_000}
    ),
)
DOCUMENTS = (
    Shape("a table", "documents", lambda: {"filename": "table.md", "text": _table(7_000)}),
    Shape("a document of one letter", "documents", lambda: {"filename": "letter.txt", "text": "a" * 300_000}),
)
SHAPES = (*VERIFICATIONS, *QUESTIONS, *DOCUMENTS)
