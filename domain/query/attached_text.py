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

_NAMES = r"(?:source|sources|document|documents|file|files|contextItem|context)"
_BLOCK = re.compile(
    rf"""
    <(?P<tag>{_NAMES})\b(?P<attributes>[^<>]*)>(?P<tagged>(?:(?!<(?P=tag)\b).)*?)</(?P=tag)\s*>
  | \[(?P<name>CONTEXT[^\[\]\n]*)\]:?(?P<between>(?:(?!\[CONTEXT).)*?)\[END\ (?P=name)\]
  | ```\w*[ \t]*\n?(?P<fenced>\#\ "[^"\n]+"(?:.*(?=\n[ \t]*```)|.*))(?:\n[ \t]*```[ \t]*)?
  | ^[ \t]*(?P<quoting>`{{3,}}+)(?!\w*[ \t]*\n?\#\ "[^"\n]+")[^`\n]*+(?=\n|\Z).*?(?:\n[ \t]*(?P=quoting)|\Z)
    """,
    re.DOTALL | re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_OPENING = re.compile(rf'<{_NAMES}\b|\[CONTEXT|```\w*[ \t]*\n?# "', re.IGNORECASE)
_FILE_IN_FENCE = re.compile(r'(?:^---\s+)?^# "([^"\n]+)"\n', re.MULTILINE)
_TITLE = re.compile(r'\b(?:name|title)\s*=\s*"([^"]+)"', re.IGNORECASE)
_ENDS_OF_A_FENCE = 2
_DETAIL = re.compile(r"\s*<((?!\w*conte[nx]t)\w+)>([^<>\n]*)</\1>", re.IGNORECASE)
_NAMED_IN_PROMPT = re.compile(r"\A<\w+\b[^<>]*\b(?:name|title|id)\s*=|<context\b", re.IGNORECASE)
_NAMED_WITHIN = re.compile(
    r"\s*<document_metadata>\s*+(?:sourceDocument:[ \t]*+(?P<name>[^\n]*+))?+.*?</document_metadata>", re.DOTALL
)
_LAST_MARK = re.compile(rf"</{_NAMES}\s*>|\[END CONTEXT[^\[\]\n]*\]", re.IGNORECASE)
_TAG = re.compile(r"</?\w[^<>]*>")
_FENCE = re.compile(r"^[ \t]*```", re.MULTILINE)
_QUOTED = re.compile(rf"{_TAG.pattern}|```.*?(?:```|\Z)", re.DOTALL)
_CLOSED_AT_THE_END = re.compile(r"</(\w+)\s*>\Z")
_ASKED_IN_TAG = re.compile(
    r"<(?P<tag>(?:user_)?(?:query|question))>(?P<asked>(?:(?!<(?P=tag)>).)*?)</(?P=tag)>", re.DOTALL | re.IGNORECASE
)
_ASKED_BEHIND_LABEL = re.compile(
    r"^[ \t]*(?:user )?(?:query|question|질문)[ \t]*[:：](?P<asked>.*?)(?:\n[^\n]{1,30}[:：]\s*)?\Z",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
# Possessive quantifiers do not backtrack: texts of others must not make a pattern slow.
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
    is named the first time: instructions speak of their tags. Prompts of systems are often divided by tags and show
    examples: there a tag needs a name, a title or an id, or the tag of a context around or in it."""
    blocks = [match for match in _blocks(message) if is_question or _is_attached_to_a_prompt(match)]
    return [text for match in blocks for text in _texts_in(match, None)]


def may_attach(message: str) -> bool:
    """Whether a mark of a text opens in it, closed or not."""
    return _OPENING.search(message) is not None


def question_beside(message: str) -> str | None:
    """Return what the person wrote in a message of a user: all of it where no text is attached; None where a text is
    and the question is not told from the program's words with certainty."""
    marked = _blocks(message)
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
    if (closed := _CLOSED_AT_THE_END.search(behind)) and f"<{closed[1]}" not in behind:
        return None
    named = [*_ASKED_IN_TAG.finditer(behind)][-1:] or [*_ASKED_BEHIND_LABEL.finditer(behind)][:1]
    asked = (named[0]["asked"] if named else behind).strip()
    # Lines without a name are the person's where the program has given its instructions before.
    is_theirs = bool(named) or "\n" not in asked or "\n" in message[:start].strip()
    return asked if is_theirs and _says(_QUOTED.sub("", asked)) and not asked.endswith((":", "：")) else None


def _marks(text: str) -> list[re.Match[str]]:
    return [match for match in _BLOCK.finditer(text) if not match["quoting"]]


def _blocks(message: str) -> list[re.Match[str]]:
    """Names of tags in a sentence are none, and what says nothing is only a template's empty context."""
    return [
        match
        for match in _marks(message)
        if "\n" in (inside := _inside(match)) and (_says(_TAG.sub("", inside)) or match[0].startswith("<context>"))
    ]


def _is_attached_to_a_prompt(match: re.Match[str]) -> bool:
    if match["tag"] and match["tag"].lower() == "context":
        return bool(_marks(_inside(match)))
    return not match["tag"] or _NAMED_IN_PROMPT.search(match[0]) is not None


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
    inner = _marks(inside)
    for block in inner:
        yield from _texts_in(block, title)
    if not inner and _says(text := _CDATA.sub(r"\1", _LONE_TAG.sub("", inside)).strip()):
        yield AttachedText(title, text)
