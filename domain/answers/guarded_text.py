"""Filters a text that another model wrote by the verdicts on its sentences: the part that a guard lets through."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from citewell_verify.answers.parser import is_list_sign, without_list_sign
from citewell_verify.answers.statements import GrowingAnswer, statements
from citewell_verify.markers.citable import Citable, citable_sources
from citewell_verify.markers.stripping import plain_text
from citewell_verify.verdicts.states import SentenceStatus

_PASSING = (SentenceStatus.SUPPORTED, SentenceStatus.NO_CLAIM)
_NO_SENTENCE = "it stands outside of the sentences"


@dataclass(frozen=True, slots=True)
class Policy:
    """The treatment of a sentence that fails its check (`on_failure`), of one that could not be checked
    (`on_unchecked`), and of a text for which there are no sources."""

    on_failure: Literal["repair", "block"] = "repair"
    on_unchecked: Literal["block", "pass"] = "block"
    without_sources: Literal["block", "pass"] = "block"


@dataclass(frozen=True, slots=True)
class Removed:
    """Words that were left out or replaced by `instead`, and why."""

    text: str
    reason: str
    instead: str | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the given text, from the end of the piece before up to `end`. `text` is the part of it that passed.

    `blocked` says why nothing of the answer may be sent from here on.
    """

    end: int
    text: str
    removed: tuple[Removed, ...] = ()
    blocked: str | None = None


class ClosedText:
    """Finds the beginning of a growing text that consists of whole sentences, which further text will not change."""

    def __init__(self, sources: int) -> None:
        self._growing = GrowingAnswer(sources)
        self._sources = sources
        self.end = 0

    def read(self, text: str) -> int:
        """Return the start of the first sentence that is still open in `text`, which continues the previous text."""
        if closed := self._growing.closed_by(text):
            last, base = closed[-1].end, self.end
            starts = (statement.start + base for statement in statements(text[base:], self._sources))
            start = next((place for place in starts if place >= last), last)
            line = text.rfind("\n", 0, start) + 1
            self.end = line if line >= last and is_list_sign(text[line:start]) else start
        return self.end


def ruled(given: str, verification: Mapping[str, Any], policy: Policy) -> list[Piece]:
    """The pieces of a verified text, one for each sentence and one for the rest.

    `verification` is a result as the API has it. A sentence passes when the sources say it or it claims nothing. Text
    between sentences passes only if it is a citation marker, a list sign or white space.
    """
    citable = citable_sources(verification["sources"])
    mended = {
        edit["statement"]: edit for edit in verification["edits"] if edit["kind"] in ("rewritten", "reattributed")
    }
    pieces: list[Piece] = []
    at, gap, is_kept = 0, "", True
    for index, sentence in enumerate(verification["sentences"]):
        start, end = max(at, sentence["start"]), max(at, sentence["end"])
        between = given[at:start]
        quiet = _quiet(between, citable, is_kept)
        gap = _wider(gap, quiet) if not is_kept else quiet
        text, removed, blocked = _sentence(given[start:end], sentence, mended.get(index), policy)
        loud = [Removed(between.strip(), _NO_SENTENCE)] if quiet.split() != between.split() and is_kept else []
        is_kept = bool(text)
        pieces.append(Piece(end, gap + text if text else "", (*loud, *removed), blocked))
        at = end
    rest = given[at:]
    quiet = _quiet(rest, citable, is_kept)
    loud = (Removed(rest.strip(), _NO_SENTENCE),) if quiet.split() != rest.split() and is_kept else ()
    return [*pieces, Piece(len(given), quiet, loud)]


def _sentence(
    words: str, sentence: Mapping[str, Any], mended: Mapping[str, Any] | None, policy: Policy
) -> tuple[str, list[Removed], str | None]:
    """The words that pass, the words that were removed, and the reason why the answer is blocked, if it is."""
    status, reason = sentence["status"], sentence["reason"] or sentence["status"]
    if status in _PASSING or (mended and mended["kind"] == "reattributed"):
        return words, [], None
    if status == SentenceStatus.NOT_CHECKED:
        return (words, [], None) if policy.on_unchecked == "pass" else ("", [], f"“{words}” was not checked: {reason}")
    if policy.on_failure == "block":
        return "", [], f"The sources do not say “{words}”: {reason}"
    instead = mended["after"] if mended else None
    return instead or "", [Removed(words, reason, instead)], None


def _quiet(gap: str, citable: Citable, is_kept: bool) -> str:
    """The gap without text that nobody checked, and without the markers of a sentence that was left out."""
    head, line_end, sign = gap.rpartition("\n")
    if not line_end:
        # A list sign stands at the beginning of a line, and so the beginning of the text may be one.
        head, sign = (gap, "") if not is_list_sign(gap) else ("", gap)
    said = plain_text(head, citable).text
    if not is_kept or any(map(str.isalnum, said)):
        head = "".join(filter(str.isspace, head))
    if any(map(str.isalnum, without_list_sign(sign.lstrip()))):
        sign = ""
    return f"{head}{line_end}{sign}"


def _wider(before: str, after: str) -> str:
    """One gap in place of the two around a sentence that was left out: the wider break, and the list sign of the second
    gap.
    """
    head = before[: before.rfind("\n") + 1] if is_list_sign(before.rpartition("\n")[2]) else before
    if head.count("\n") < after.count("\n"):
        return after
    return (head or before) + after.rpartition("\n")[2].lstrip(" ") if head.endswith("\n") else before


def passed(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def removed_from(pieces: Sequence[Piece]) -> Iterator[Removed]:
    for piece in pieces:
        yield from piece.removed
