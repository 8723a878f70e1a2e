"""Reads the body of an answer: server-sent events, a JSON object per line, or one JSON document, whatever its headers
say.

No library is used: httpx-sse is bound to httpx and to the content type, keeps each event's text twice, and knows
neither lines of JSON nor a limit.
"""

import json
import re
import zlib
from collections.abc import AsyncIterator, Mapping
from typing import Protocol, cast

from pydantic import TypeAdapter

from clients.llm.completions.usage import ReplyTooLong

DONE = "[DONE]"
"""The text that a stream sends after its last event."""

_GZIP = b"\x1f\x8b"
_ANY_HEADER, _NO_HEADER = 47, -15
"""zlib's `wbits`: for gzip and zlib, and for the format that some servers call deflate."""
_FIELDS = (b"id:", b"retry:", b":")
_BETWEEN = re.compile(r"\s*(?:data:)?\s*")
_DECODER = json.JSONDecoder()
_JSON = TypeAdapter[object](object)
_BOM = b"\xef\xbb\xbf"


class _Unpacker(Protocol):
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class NoJson(ValueError):
    """The answer is no JSON, but a page or a text. `is_page`: it begins like HTML."""

    def __init__(self, *, is_page: bool) -> None:
        super().__init__("no JSON")
        self.is_page = is_page


class EventReader:
    """Turns the pieces of a body into its JSON values and DONE. Raises ValueError for text that is no JSON."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._after_cr = self._has_begun = self._is_bare = self._is_error = self._has_words = False
        self._lines: list[bytes] = []

    def feed(self, piece: bytes) -> list[object]:
        if self._after_cr:
            piece = piece.removeprefix(b"\n")
        self._after_cr = piece.endswith(b"\r")
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *ends, begun = piece.split(b"\n")
        values: list[object] = []
        for end in ends:
            values += self._line(bytes(self._rest + end))
            self._rest.clear()
        # The bytes that were searched already are not searched again with each piece of an endless line.
        self._rest += begun
        return values

    def end(self) -> list[object]:
        values = [*self._line(bytes(self._rest)), *self._whole_event()]
        self._rest.clear()
        if self._has_words:
            raise NoJson(is_page=False)
        return values

    def _line(self, line: bytes) -> list[object]:
        if not self._has_begun:
            line = line.removeprefix(_BOM).lstrip()
            if line.startswith(b"<"):
                raise NoJson(is_page=True)
            self._has_begun = bool(line)
        if not line:
            return [] if self._is_bare else self._whole_event()
        if self._is_bare:
            self._lines.append(line)
        elif line.startswith(b"data:"):
            return self._data(line[5:].removeprefix(b" "))
        elif line.startswith(b"event:"):
            self._is_error = line[6:].strip().lower() == b"error"
        elif not line.startswith(_FIELDS):
            # This is a line of JSON, or the first line of a document.
            values = self._data(line)
            self._is_bare = bool(self._lines)
            self._has_words = not values and not self._lines
            return values
        return []

    def _data(self, data: bytes) -> list[object]:
        if self._lines:
            self._lines.append(data)
            return []
        data = data.strip()
        if data.startswith(DONE.encode()):
            return [DONE]
        if not data.startswith((b"{", b"[")):
            # This is a ping, or the words of an error.
            return [{"error": data.decode(errors="replace")}] if self._is_error and data else []
        try:
            return [self._told(_parsed(data))]
        except ValueError:
            values = _parsed_several(data)
        if not values:
            self._lines.append(data)
        return values

    def _whole_event(self) -> list[object]:
        if not self._lines:
            self._is_error = False
            return []
        lines, self._lines = self._lines, []
        value = self._told(_parsed(b"\n".join(lines)))
        self._is_error = False
        return [value]

    def _told(self, value: object) -> object:
        if not self._is_error or (isinstance(value, dict) and "error" in value):
            return cast("object", value)
        return cast("object", {"error": value})


def read_whole(body: bytes) -> list[object]:
    """The JSON values of a body that has arrived."""
    try:
        return [_JSON.validate_json(body)]
    except ValueError:
        reader = EventReader()
        return [*reader.feed(body), *reader.end()]


async def read_pieces(content: AsyncIterator[bytes]) -> AsyncIterator[object]:
    """Yield the JSON values of a body as it arrives, and DONE. An event that is cut off at its end is left out, as
    server-sent events have it: what came before says whether the reply is complete.
    """
    reader = EventReader()
    has_begun = False
    async for piece in content:
        for value in reader.feed(piece):
            has_begun = True
            yield value
            if value == DONE:
                return
    try:
        rest = reader.end()
    except ValueError:
        if not has_begun:
            raise
        rest = []
    for value in rest:
        yield value


async def unpacked(headers: Mapping[str, str], content: AsyncIterator[bytes], most_bytes: int) -> AsyncIterator[bytes]:
    """The body without gzip or deflate, which some servers use unasked. Raises ReplyTooLong if the body has more than
    `most_bytes` bytes, packed or unpacked.
    """
    packing = headers.get("content-encoding", "").strip().lower()
    unpack: _Unpacker | None = None
    is_first, left, packed_left = True, most_bytes, most_bytes
    async for piece in content:
        packed_left -= len(piece)
        if packed_left < 0:
            raise ReplyTooLong
        if is_first and piece:
            is_first = False
            unpack = _unpacker(packing, piece)
        try:
            # One byte more than allowed is enough to know that the body is too long: a small one may unpack to
            # gigabytes.
            plain = unpack.decompress(piece, left + 1) if unpack else piece
        except zlib.error as error:
            raise ValueError("a broken packing") from error
        left -= len(plain)
        if left < 0:
            raise ReplyTooLong
        if plain:
            yield plain


def _unpacker(packing: str, first: bytes) -> "_Unpacker | None":
    if first.startswith(_GZIP):
        return zlib.decompressobj(_ANY_HEADER)
    if packing == "deflate":
        has_header = first[0] & 0x0F == zlib.DEFLATED and (len(first) < 2 or (first[0] << 8 | first[1]) % 31 == 0)
        return zlib.decompressobj(_ANY_HEADER if has_header else _NO_HEADER)
    return None


def _parsed(data: bytes) -> object:
    try:
        return _JSON.validate_json(data)
    except ValueError:
        # The strict parser rejects half a character whose other half may come with the next event.
        return _parsed_leniently(data)


def _parsed_leniently(data: bytes) -> object:
    try:
        return json.loads(data.decode(errors="replace"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _parsed_several(data: bytes) -> list[object]:
    """The values of several events that stand on one line; none if the line has anything else."""
    text, values, at = data.decode(errors="replace"), list[object](), 0
    try:
        while at < len(text):
            value, at = (DONE, at + len(DONE)) if text.startswith(DONE, at) else _DECODER.raw_decode(text, at)
            values.append(value)
            at = match.end() if (match := _BETWEEN.match(text, at)) else at
    except (ValueError, RecursionError):
        return []
    return values
