"""Prints an answer while it is checked: each sentence when it has passed, then the rest."""

from typing import cast

from rich.status import Status

from citewell.cli.console import out, plain
from citewell_client.types import Query, StreamEvent
from domain.correction.continuous_text import ContinuousText
from domain.query.modes import is_korean


class AnswerStream:
    """`take` prints what an event lets pass, `finish` the rest; `status` shows the stage until there is text."""

    def __init__(self, status: Status) -> None:
        self._status = status
        self._text = ContinuousText()

    def take(self, event: StreamEvent) -> None:
        if event["type"] == "stage":
            self._status.update(str(event["data"].get("stage")))
        elif passed := self._text.take(event["type"], event["data"]):
            self._status.stop()
            _write(passed)

    def finish(self, query: Query) -> Query:
        """Print the rest of the answer; return the query with the numbers that were printed."""
        self._status.stop()
        if query["answer"] is None:
            return query
        restated = query.get("restated_question")  # servers of older versions omit it
        read = self._text.finished(query, korean=is_korean(restated or query["question"]))
        _write(read["answer"].removeprefix(self._text.shown) + "\n")
        return cast("Query", read)


def _write(text: str) -> None:
    out.print(plain(text), end="", soft_wrap=True)
