"""Reads the texts that a chat program sends beside the question: files that somebody attached, or what the program
found by itself, and the question of the person beside them (N9).

Each program has words of its own around them, which people change. All of them put a text between two marks of one
name, as `<source id="1">…</source>` or `[CONTEXT 0]: … [END CONTEXT 0]`, or into a fence headed by the file's name.
What stands between no such marks, as a text below "Context:", is not told from the question, and is never read.
The question stands behind the last of them, and what the program says around it is told by its form alone: a tag or a
label that names the question, or instructions that stand before the texts. Anything else is undecided.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_NAMES = r"source|sources|document|documents|file|files|contextItem"
_BLOCK = r"""
    <(?P<tag>{names})\b(?P<attributes>[^<>]*)>(?P<tagged>(?:(?!<(?P=tag)\b).)*?)</(?P=tag)\s*>
  | \[(?P<name>CONTEXT[^\[\]\n]*)\]:?(?P<between>(?:(?!\[CONTEXT).)*?)\[END\ (?P=name)\]
  | ```\w*[ \t]*\n?(?P<fenced>\#\ "[^"\n]+"(?:.*(?=\n[ \t]*```)|.*))(?:\n[ \t]*```[ \t]*)?
"""
_FLAGS = re.DOTALL | re.IGNORECASE | re.VERBOSE
# Prompts of systems are often divided by such a tag; in a question it holds what the question is about.
_IN_QUESTION = re.compile(_BLOCK.format(names=f"{_NAMES}|context"), _FLAGS)
_IN_PROMPT = re.compile(_BLOCK.format(names=_NAMES), _FLAGS)
_FILE_IN_FENCE = re.compile(r'(?:^---\s+)?^# "([^"\n]+)"\n', re.MULTILINE)
_TITLE = re.compile(r'\b(?:name|title)\s*=\s*"([^"]+)"', re.IGNORECASE)
_ENDS_OF_A_FENCE = 2
_DETAIL = re.compile(r"\s*<((?!\w*conte[nx]t)\w+)>([^<>\n]*)</\1>", re.IGNORECASE)
_NAMED_WITHIN = re.compile(
    r"\s*<document_metadata>\s*+(?:sourceDocument:[ \t]*+(?P<name>[^\n]*+))?+.*?</document_metadata>", re.DOTALL
)
_LAST_MARK = re.compile(rf"</(?:{_NAMES}|context)\s*>|\[END CONTEXT[^\[\]\n]*\]", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*```", re.MULTILINE)
_ASKED_IN_TAG = re.compile(
    r"<(?P<tag>(?:user_)?(?:query|question))>(?P<asked>(?:(?!<(?P=tag)>).)*?)</(?P=tag)>", re.DOTALL | re.IGNORECASE
)
_ASKED_BEHIND_LABEL = re.compile(
    r"^[ \t]*(?:user )?(?:query|question|질문)[ \t]*[:：](?P<asked>.*?)(?:\n[^\n]{1,30}[:：]\s*)?\Z",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
# Without turning back: texts of others must not make a pattern slow.
_WORD_OF_CONTENT = r"(?=\w*conte[nx]t)\w++"
_LONE_TAG = re.compile(
    rf"^[ \t]*</?\w[^<>\n]*>[ \t]*$\n?|\A\s*<{_WORD_OF_CONTENT}>|</{_WORD_OF_CONTENT}>\s*\Z", re.MULTILINE
)
_CDATA = re.compile(r"<!\[CDATA\[((?:(?!<!\[CDATA\[).)*?)\]\]>", re.DOTALL)


class AttachedText(NamedTuple):
    """A text, and what the program calls it, if it does."""

    title: str | None
    text: str


def attached_texts(message: str, *, is_question: bool) -> list[AttachedText]:
    """Return the texts between such marks, in their order; of marks within marks, the innermost. A tag that opens twice
    is named the first time: instructions speak of their tags."""
    return [text for match in _blocks(message, is_question=is_question) for text in _texts_in(match, None)]


def question_beside(message: str) -> str | None:
    """Return what the person wrote in a message of a user: all of it where no text is attached; None where a text is
    and the question is not told from the program's words with certainty."""
    marked = [match for match in _IN_QUESTION.finditer(message) if _is_block(match)]
    if not marked:
        return message
    asked = _asked(message, marked)
    return message if asked is None and not any(_says(_inside(match)) for match in marked) else asked


def _asked(message: str, marked: Sequence[re.Match[str]]) -> str | None:
    start, end = marked[0].start(), marked[-1].end()
    if marked[-1]["fenced"]:
        if len(_FENCE.findall(message, start)) != _ENDS_OF_A_FENCE:
            return None
    else:
        # A text may have such marks itself: what counts is the last of them.
        end = max([end, *(mark.end() for mark in _LAST_MARK.finditer(message))])
    behind = message[end:].strip()
    named = [*_ASKED_IN_TAG.finditer(behind)][-1:] or [*_ASKED_BEHIND_LABEL.finditer(behind)][:1]
    asked = (named[0]["asked"] if named else behind).strip()
    # Lines without a name are the person's where the program has given its instructions before.
    is_theirs = bool(named) or "\n" not in asked or "\n" in message[:start].strip()
    return asked if is_theirs and _says(asked) and not asked.endswith((":", "：")) else None


def _blocks(message: str, *, is_question: bool) -> Iterator[re.Match[str]]:
    pattern = _IN_QUESTION if is_question else _IN_PROMPT
    return (match for match in pattern.finditer(message) if _is_block(match) and _says(_inside(match)))


def _is_block(match: re.Match[str]) -> bool:
    """Names of tags in a sentence are none; what stands on one line has a title, if it is one."""
    return "\n" in _inside(match) or _TITLE.search(match["attributes"] or "") is not None


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
    start = 0
    while not named and (detail := _DETAIL.match(inside, start)):
        title, start = title or detail[2].strip(), detail.end()
    if within := _NAMED_WITHIN.match(inside, start):
        title, start = title or within["name"], within.end()
    inside = inside[start:]
    inner = list(_IN_QUESTION.finditer(inside))
    for block in inner:
        yield from _texts_in(block, title)
    if not inner and _says(text := _CDATA.sub(r"\1", _LONE_TAG.sub("", inside)).strip()):
        yield AttachedText(title, text)
