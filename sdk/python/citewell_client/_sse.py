"""Server-sent events, read from the bytes of a response."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

# A CR at the very end may be the first half of a CRLF.
_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")


@dataclass(slots=True)
class ServerSentEvent:
    """One event; `retry` is in milliseconds."""

    event: str = ""
    data: str = ""
    id: str = ""
    retry: int | None = None


class EventDecoder:
    """Decodes a stream from its pieces, given in order; `take` yields the events that a piece completes."""

    def __init__(self) -> None:
        self._text = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
        self._rest = ""
        self._last_id = ""
        self._begin()

    def take(self, piece: bytes) -> Iterator[ServerSentEvent]:
        *lines, self._rest = _LINE_END.split(self._rest + self._text.decode(piece))
        for line in lines:
            if line:
                self._read(line)
                continue
            event = ServerSentEvent(self._event, "\n".join(self._data), self._last_id, self._retry)
            self._begin()
            yield event

    def _begin(self) -> None:
        self._event = ""
        self._data: list[str] = []
        self._retry: int | None = None

    def _read(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "event":
                self._event = value
            case "data":
                self._data.append(value)
            case "id" if "\0" not in value:
                self._last_id = value
            case "retry" if value.isascii() and value.isdigit():
                self._retry = int(value)
            case _:  # a comment has no name
                pass
