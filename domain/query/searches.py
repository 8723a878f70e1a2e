"""Cleans the searches that a model asks for, and drops repeated ones."""

from collections.abc import Iterable

from domain.text.words import words

_LONGEST_QUERY = 300


def usable_queries(texts: Iterable[str], most: int | None = None) -> list[str]:
    """Return at most `most` of `texts` as searches: on one line, not too long, each once, none without a word."""
    plain = (" ".join(text.replace("\x00", "").split())[:_LONGEST_QUERY] for text in texts)
    return list(dict.fromkeys(text for text in plain if any(map(str.isalnum, text))))[:most]


def new_queries(texts: Iterable[str], known: Iterable[str], most: int) -> list[str]:
    """Return `usable_queries` without the `known` ones; case and punctuation make no difference."""
    seen = {_same(text) for text in known}
    found: list[str] = []
    for text in usable_queries(texts):
        if (key := _same(text)) not in seen:
            seen.add(key)
            found.append(text)
    return found[:most]


def _same(text: str) -> str:
    return " ".join(words(text))
