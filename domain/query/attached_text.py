"""Reads the texts that a chat program sends beside a person's question, and tells the question from them (N9). The
texts are files that somebody attached, or passages that the program found by itself.

Each program has words of its own around the texts, which people change. But every program puts a text between two marks
of one name, as `<source id="1">…</source>` or `[CONTEXT 0]: … [END CONTEXT 0]`, or into a fence headed by the file's
name. A text without such marks, for example below "Context:", cannot be told from the question, and is never read.
The question stands behind the last text. Only the form of the program's words tells them from the question: a tag or a
label that names the question, or instructions that stand before the texts. Any other case is undecided.
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
# Possessive quantifiers do not backtrack, so that an untrusted text cannot make a pattern slow.
_WORD_OF_CONTENT = r"(?=\w*conte[nx]t)\w++"
_LONE_TAG = re.compile(
    rf"^[ \t]*</?\w[^<>\n]*>[ \t]*$\n?|\A\s*<{_WORD_OF_CONTENT}>|</{_WORD_OF_CONTENT}>\s*\Z", re.MULTILINE
)
_CDATA = re.compile(r"<!\[CDATA\[((?:(?!<!\[CDATA\[).)*?)\]\]>", re.DOTALL)


class AttachedText(NamedTuple):
    """A text, and the name that the program gives it, if any."""

    title: str | None
    text: str


def attached_texts(message: str, *, is_question: bool) -> list[AttachedText]:
    """Return the texts between such marks, in their order; if marks are nested, the innermost texts. If a tag opens
    twice, the first one is only mentioned, because instructions mention their tags. System prompts are often divided by
    tags and show examples: there a tag needs a name, a title or an id, or a context's tag around it or in it."""
    blocks = [match for match in _blocks(message) if is_question or _is_attached_to_a_prompt(match)]
    return [text for match in blocks for text in _texts_in(match, None)]


def may_attach(message: str) -> bool:
    """True if a mark of a text opens in the message, whether it is closed or not."""
    return _OPENING.search(message) is not None


def question_beside(message: str) -> str | None:
    """Return the person's own words in a user's message: the whole message if no text is attached to it; None if a text
    is attached and the question cannot be told from the program's words with certainty."""
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
        # A text may contain such marks itself, so the last of them counts.
        end = max([end, *(mark.end() for mark in _LAST_MARK.finditer(message))])
    behind = message[end:].strip()
    if (closed := _CLOSED_AT_THE_END.search(behind)) and f"<{closed[1]}" not in behind:
        return None
    named = [*_ASKED_IN_TAG.finditer(behind)][-1:] or [*_ASKED_BEHIND_LABEL.finditer(behind)][:1]
    asked = (named[0]["asked"] if named else behind).strip()
    # Several lines without a label are the person's words if the program has given its instructions before.
    is_theirs = bool(named) or "\n" not in asked or "\n" in message[:start].strip()
    return asked if is_theirs and _says(_QUOTED.sub("", asked)) and not asked.endswith((":", "：")) else None


def _marks(text: str) -> list[re.Match[str]]:
    return [match for match in _BLOCK.finditer(text) if not match["quoting"]]


def _blocks(message: str) -> list[re.Match[str]]:
    """The marked texts of the message. A tag that a sentence only mentions is none, and text without words is only a
    template's empty context.
    """
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
    # Programs name a text in attributes, or in elements before the text.
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
