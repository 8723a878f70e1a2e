"""Terminal views of an answer while it is checked, and of a conversation: short, because `citewell history` shows the
rest."""

from typing import cast

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.status import Status
from rich.text import Text

from citewell.cli.console import out, plain
from citewell.cli.show.answer import closest_view
from citewell.cli.show.words import signal_word
from citewell_client.types import Query, StreamEvent, Turn
from domain.answers.conflicts_in_words import conflict_in_words
from domain.answers.continuous_text import ContinuousText
from domain.quality.summary_line import verification_line
from domain.query.options import is_korean


class AnswerStream:
    """`take` prints the text that an event lets pass, `finish` the rest; `status` shows the stage until there is
    text."""

    def __init__(self, status: Status) -> None:
        self._status = status
        self._text = ContinuousText()

    def take(self, event: StreamEvent) -> None:
        if event["type"] == "stage":
            self._status.update(str(event["data"].get("stage")))
        elif passed := self._text.take(event["type"], event["data"]):
            self._status.stop()
            _print(passed)

    def finish(self, query: Query) -> Query:
        self._status.stop()
        if query["answer"] is None:
            return query
        restated = query["restated_question"]
        read = self._text.finished(query, korean=is_korean(restated or query["question"]))
        _print(read["answer"].removeprefix(self._text.shown) + "\n")
        return cast("Query", read)


def _print(text: str) -> None:
    out.print(plain(text), end="", soft_wrap=True)


def below_answer(query: Query) -> RenderableType:
    parts: list[RenderableType] = []
    if query["abstained"]:
        if signal := query["signal"]:
            parts.append(signal_word(signal))
        parts.append(Text.assemble(("Why: ", "yellow"), plain(query["abstain_reason"] or "no reason was stored")))
    else:
        parts += [plain(reference) for reference in query["references"]]
        parts += [
            plain(f"Your documents disagree: {conflict_in_words(conflict)}", "yellow")
            for conflict in query["conflicts"]
        ]
        states = (
            [sentence["status"] for sentence in query["verification"]["sentences"]] if query["verification"] else []
        )
        korean = is_korean(query["restated_question"] or query["question"])
        line = verification_line(query["signal"], states, len(query["removed_citations"]), korean=korean)
        parts.append(plain(line, "dim"))
    parts += closest_view(query)
    if restated := query["restated_question"]:
        parts.append(plain(f"Understood as: {restated}", "dim"))
    return Group(*parts, Text())


def history_view(turns: list[Turn]) -> RenderableType:
    parts: list[RenderableType] = []
    for turn in turns:
        parts.append(plain(f"{turn['position']}. {turn['question']}", "bold"))
        said = turn["answer"] or (turn["error"]["message"] if turn["error"] else turn["status"])
        parts.append(Padding(plain(said), (0, 0, 0, 3)))
    return Group(*parts, Text())
