"""Answers to verify, one JSON object on each line of a file."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from citewell_verify.errors import VerificationInvalid
from citewell_verify.pipeline import GivenText

# Each field has our name first, then the names in Ragas and DeepEval, so that their files need no conversion.
_ANSWER = ("answer", "response", "actual_output")
_SOURCES = ("sources", "retrieved_contexts", "retrieval_context")
_QUESTION = ("question", "user_input", "input")
_NAME = ("id", "name")


@dataclass(frozen=True, slots=True)
class Case:
    """An answer with its sources. The answer begins at `path` and `line` (from 1), which reports link to;
    `has_own_file` is false for a line of a file with many answers.
    """

    name: str
    answer: str
    sources: tuple[GivenText, ...]
    question: str | None
    path: str
    line: int = 1
    has_own_file: bool = False

    def line_of(self, start: int) -> int:
        """The line of the file at offset `start` of the answer."""
        return self.line + (self.answer.count("\n", 0, start) if self.has_own_file else 0)


def read_text(path: Path) -> str:
    """The text of a file, or of standard input if the path is -, without the byte order mark of Windows editors. Raises
    VerificationInvalid, which names the file."""
    try:
        # Standard input is read as bytes, because a locale may read any bytes as text.
        return (sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise VerificationInvalid(f"{path} is not text in UTF-8; save it as UTF-8.") from None
    except OSError as error:
        raise VerificationInvalid(f"cannot read {path}: {error.strerror}") from None


def read_cases(path: Path) -> list[Case]:
    """Read a file of cases. Raises VerificationInvalid, which names the line, for a line that is no case."""
    # This is not `splitlines`, because a text in JSON may contain other line ends.
    lines = read_text(path).split("\n")
    cases = [_case(line, path, number) for number, line in enumerate(lines, start=1) if line.strip()]
    if not cases:
        raise VerificationInvalid(f"{path} has no cases; each line is an object with answer and sources.")
    return cases


def _case(line: str, path: Path, number: int) -> Case:
    place = f"{path}, line {number}"
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise VerificationInvalid(f"{place} is not JSON: {error.msg} at column {error.colno}.") from None
    if not isinstance(row, dict):
        raise VerificationInvalid(f"{place} is not an object with answer and sources.")
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise VerificationInvalid(f"{place} has half a character (a lone surrogate); write it whole.") from None
    fields = cast("dict[str, Any]", row)
    answer, sources, question = (_of(fields, names) for names in (_ANSWER, _SOURCES, _QUESTION))
    if not isinstance(answer, str):
        raise VerificationInvalid(f"{place} has no answer; it is a text named {' or '.join(_ANSWER)}.")
    if not isinstance(sources, list) or not sources:
        raise VerificationInvalid(f"{place} has no sources; they are a list named {' or '.join(_SOURCES)}.")
    if not isinstance(question, str | None):
        raise VerificationInvalid(f"{place}: the question is not a text.")
    given = tuple(
        _source(source, place, position) for position, source in enumerate(cast("list[Any]", sources), start=1)
    )
    # The name is put on one line, because the pipeline may read text at the start of a line as a command.
    name = " ".join(str(_of(fields, _NAME) or f"line {number}").split())
    return Case(name, answer, given, question, str(path), number)


def _of(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _source(source: Any, place: str, position: int) -> GivenText:
    if isinstance(source, str):
        return GivenText(source)
    if isinstance(source, dict):
        fields = cast("dict[str, Any]", source)
        text, title = fields.get("text"), fields.get("title")
        if isinstance(text, str) and isinstance(title, str | None):
            return GivenText(text, title=title)
    raise VerificationInvalid(f"{place}: source {position} is neither a text nor an object with text and title.")
