"""Parses JSON as models write it without constraints: in prose and fences, with the slips of other notations.

Only the notation is read leniently. The content of a text is never completed: an object without its end, or a bare word
at the end of the text, is no value. Valid JSON gives the same values as with any other parser.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

_T = TypeVar("_T")

_DEEPEST = 32
_MOST_FAILURES = 64
"""The most beginnings of values that turn out to be none. This bounds the work, because each may read to the end of the
text."""

_BLANK = re.compile(r"(?:[\s\u200b\ufeff]|//[^\n]*|/\*.*?\*/|\#[^\n]*)*", re.DOTALL)
_BARE = re.compile(r"(?:[^\s,，、;；:：=\[\]{}［］｛｝\"'`“”„/#]|/(?![/*]))+")
_KEY = re.compile(r"[\w$-]+")
_ENDS = re.compile(r"[,，、;；:：=\]］}｝]|\Z")
_OPENS = re.compile(r"[\[［{｛]")
_COLONS, _COMMAS = frozenset(":：="), frozenset(",，、;；")
_CURLY = "”“‟〞"
_CLOSING = {
    **dict.fromkeys("“”„‟〝", _CURLY),
    **dict.fromkeys("‘’‚‛", "’‘‛"),
    "«": "»",
    "「": "」",
    "『": "』",
    **{sign: sign for sign in "\"'`＂"},
}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "\n": "\n"}
_HALF = re.compile("[\ud800-\udfff]")
_UNICODE = re.compile(r"u([0-9a-fA-F]{4})")


class Bare(str):
    """A value without quotes: a number, a literal or a word, as it is written."""

    __slots__ = ()


class Pairs(list["tuple[str, Value]"]):
    """The keys and values of an object in order; a key may occur twice."""

    __slots__ = ()


Value = str | Pairs | list["Value"]


class NotJson(ValueError):
    """No value begins here, or it does not end."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The outermost objects and lists of a text, and the pieces of text between them."""

    values: tuple[Value, ...]
    rest: tuple[str, ...]


def parse_values(text: str) -> Parsed:
    """Find the objects and lists of a text. If the text is one quoted string, its content is read."""
    if (quoted := _whole_string(text)) is not None:
        return parse_values(quoted)
    values: list[Value] = []
    rest: list[str] = []
    read, start, failures = 0, 0, 0
    while failures < _MOST_FAILURES and (opening := _OPENS.search(text, start)):
        try:
            value, end = _Parser(text).value(opening.start())
        except NotJson:
            failures += 1
            start = opening.end()
            continue
        values.append(value)
        rest.append(text[read : opening.start()])
        read = start = end
    return Parsed(tuple(values), (*rest, text[read:]))


def _whole_string(text: str) -> str | None:
    text = text.strip()
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return None
    try:
        value, end = _Parser(text).string(0)
    except NotJson:
        return None
    return value if end == len(text) else None


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text

    def value(self, at: int, depth: int = 0) -> tuple[Value, int]:
        if depth > _DEEPEST:
            raise NotJson("too deep")
        sign = self._text[at : at + 1]
        if sign in ("{", "｛"):
            return self._object(at + 1, depth)
        if sign in ("[", "［"):
            return self._members(at + 1, "]］", lambda start: self.value(start, depth + 1))
        if sign in _CLOSING:
            return self.string(at)
        if word := _BARE.match(self._text, at):
            return Bare(word[0]), word.end()
        raise NotJson("no value")

    def _object(self, at: int, depth: int) -> tuple[Pairs, int]:
        def pair(start: int) -> tuple[tuple[str, Value], int]:
            key, end = self._key(start)
            end = self._blank(end)
            if self._text[end : end + 1] not in _COLONS:
                raise NotJson("no colon after a key")
            value, end = self.value(self._blank(end + 1), depth + 1)
            return (key, value), end

        pairs, end = self._members(at, "}｝", pair)
        return Pairs(pairs), end

    def _members(self, at: int, closing: str, read: Callable[[int], tuple[_T, int]]) -> tuple[list[_T], int]:
        """The members of an object or list. A missing comma is accepted between members that a blank separates, and an
        additional comma before the end.
        """
        members: list[_T] = []
        at = self._blank(at)
        while at < len(self._text):
            if self._text[at] in closing:
                return members, at + 1
            member, ended = read(at)
            members.append(member)
            at = self._blank(ended)
            sign = self._text[at : at + 1]
            if sign in _COMMAS:
                at = self._blank(at + 1)
            elif at == ended and sign not in closing:
                raise NotJson("no comma")
        raise NotJson("no end")

    def _key(self, at: int) -> tuple[str, int]:
        if self._text[at] in _CLOSING:
            return self.string(at)
        if word := _KEY.match(self._text, at):
            return word[0], word.end()
        raise NotJson("no key")

    def _blank(self, at: int) -> int:
        blank = _BLANK.match(self._text, at)
        return blank.end() if blank else at

    def string(self, at: int) -> tuple[str, int]:
        """Read a quoted string. A quotation mark within it is a part of it unless a sign of the notation follows."""
        closing, parts, at = _CLOSING[self._text[at]], list[str](), at + 1
        inside = re.compile(rf"[^\\{closing}]+")
        while at < len(self._text):
            sign = self._text[at]
            if run := inside.match(self._text, at):
                parts.append(run[0])
                at = run.end()
            elif sign == "\\":
                part, at = self._escape(at + 1)
                parts.append(part)
            elif _ENDS.match(self._text, after := self._blank(at + 1)) or (
                # A line break also separates: the comma may have been forgotten.
                "\n" in self._text[at + 1 : after] and self._text[after] in _CLOSING
            ):
                text = "".join(parts)
                # Two escapes of four digits make one character outside the basic plane.
                if _HALF.search(text):
                    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
                return text, at + 1
            else:
                parts.append(sign)
                at += 1
        raise NotJson("a string without an end")

    def _escape(self, at: int) -> tuple[str, int]:
        if code := _UNICODE.match(self._text, at):
            return chr(int(code[1], 16)), code.end()
        sign = self._text[at : at + 1]
        known = sign in _ESCAPES or sign in ("", "/", "\\") or sign in _CLOSING or sign in _CURLY
        return (_ESCAPES.get(sign, sign) if known else f"\\{sign}"), at + 1
