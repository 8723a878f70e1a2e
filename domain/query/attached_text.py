"""Reads the texts that a chat program sends beside the question: files that somebody attached, or what the program
found by itself (N9).

Each program has words of its own around them, which people change. All of them put a text between two marks of one
name, as `<source id="1">…</source>` or `[CONTEXT 0]: … [END CONTEXT 0]`, or into a fence headed by the file's name.
What stands between no such marks, as a text below "Context:", is not told from the question, and is never read.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_NAMES = r"source|sources|document|documents|file|files|contextItem"
_BLOCK = r"""
    <(?P<tag>{names})\b(?P<attributes>[^<>]*)>(?P<tagged>(?:(?!<(?P=tag)\b).)*?)</(?P=tag)\s*>
  | \[(?P<name>CONTEXT[^\[\]\n]*)\]:?(?P<between>(?:(?!\[CONTEXT).)*?)\[END\ (?P=name)\]
  | ```\w*[ \t]*\n?(?P<fenced>\#\ "[^"\n]+".*?)(?:```|\Z)
"""
_FLAGS = re.DOTALL | re.IGNORECASE | re.VERBOSE
# Prompts of systems are often divided by such a tag; in a question it holds what the question is about.
_IN_QUESTION = re.compile(_BLOCK.format(names=f"{_NAMES}|context"), _FLAGS)
_IN_PROMPT = re.compile(_BLOCK.format(names=_NAMES), _FLAGS)
_FILE_IN_FENCE = re.compile(r'(?:^---\s+)?^# "([^"\n]+)"\n', re.MULTILINE)
_TITLE = re.compile(r'\b(?:name|title)\s*=\s*"([^"]+)"', re.IGNORECASE)
_DETAIL = re.compile(r"\s*<(\w+)>([^<>\n]*)</\1>")
_LONE_TAG = re.compile(r"^[ \t]*</?\w+[^<>\n]*>[ \t]*$\n?", re.MULTILINE)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)


class AttachedText(NamedTuple):
    """A text, and what the program calls it, if it does."""

    title: str | None
    text: str


def has_attached_text(message: str, *, is_question: bool) -> bool:
    """Whether the message holds lines of text between such marks; names of tags in a sentence are none."""
    return any(_blocks(message, is_question=is_question))


def attached_texts(message: str, *, is_question: bool) -> list[AttachedText]:
    """Return the texts between such marks, in their order; of marks within marks, the innermost. A tag that opens twice
    is named the first time: instructions speak of their tags."""
    return [text for match in _blocks(message, is_question=is_question) for text in _texts_in(match, None)]


def _blocks(message: str, *, is_question: bool) -> Iterator[re.Match[str]]:
    pattern = _IN_QUESTION if is_question else _IN_PROMPT
    return (match for match in pattern.finditer(message) if "\n" in _inside(match) and _says(_inside(match)))


def _inside(match: re.Match[str]) -> str:
    return match["tagged"] or match["between"] or match["fenced"] or ""


def _says(text: str) -> bool:
    return any(map(str.isalnum, text))


def _texts_in(match: re.Match[str], title: str | None) -> Iterator[AttachedText]:
    if match["fenced"]:
        _, *parts = _FILE_IN_FENCE.split(match["fenced"])
        yield from (AttachedText(name, body.strip()) for name, body in zip(parts[::2], parts[1::2], strict=True))
        return
    named = _TITLE.search(match["attributes"] or "")
    title, inside = named[1] if named else title, _inside(match)
    # Programs name a text in attributes, or in elements that stand before it.
    while not named and (detail := _DETAIL.match(inside)):
        title, inside = title or detail[2].strip(), inside[detail.end() :]
    inner = list(_IN_QUESTION.finditer(inside))
    for block in inner:
        yield from _texts_in(block, title)
    if not inner and _says(text := _CDATA.sub(r"\1", _LONE_TAG.sub("", inside)).strip()):
        yield AttachedText(title, text)
