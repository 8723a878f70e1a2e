"""Subtitles (SRT, WebVTT): the spoken words, in sections whose titles state the time."""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentUnreadable
from citewell_documents.parsing.decoding import decode, within_limit
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.text_builder import DocumentBuilder

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMING = re.compile(rf"[ \t]*{_TIME}[ \t]+-->[ \t]+{_TIME}(?:[ \t].*)?")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[ \t]+([^<>]*)>")
_MARKUP = re.compile(r"<[^<>]*>|\{[^{}]*\}")
_SECTION_S = 60


class _Cue(NamedTuple):
    start_s: int
    end_s: int
    text: str


def parse_subtitles(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read subtitles: a section for about each minute, with its time as the title; the words form running paragraphs.

    Raises DocumentUnreadable or DocumentTooLarge.
    """
    text = within_limit(decode(data, filename), filename, limits)
    cues = [cue for cue in _cues(text.split("\n")) if cue.text]
    if not cues:
        raise DocumentUnreadable(f"{filename} has no subtitles: no line of times (00:00:01.000 --> 00:00:04.000)")
    builder = DocumentBuilder(filename, limits)
    for part in _minutes(cues):
        builder.heading(f"{_clock(part[0].start_s)} – {_clock(part[-1].end_s)}", (1,))
        builder.paragraph("\n".join(_without_repeats(part)))
    return builder.build()


def _cues(lines: list[str]) -> Iterator[_Cue]:
    timing: re.Match[str] | None = None
    said: list[str] = []
    for line in [*lines, ""]:
        if match := _TIMING.fullmatch(line):
            timing, said = match, []
        elif line.strip() and timing:
            said.append(line)
        elif timing:
            text = html.unescape(_MARKUP.sub("", _VOICE.sub(r"\1: ", " ".join(said))))
            yield _Cue(_seconds(timing.groups()[:4]), _seconds(timing.groups()[4:]), " ".join(text.split()))
            timing = None


def _seconds(parts: tuple[str | None, ...]) -> int:
    hours, minutes, seconds, _ = (int(part or 0) for part in parts)
    return 3600 * hours + 60 * minutes + seconds


def _minutes(cues: list[_Cue]) -> Iterator[list[_Cue]]:
    part: list[_Cue] = []
    for cue in cues:
        if part and cue.start_s - part[0].start_s >= _SECTION_S:
            yield part
            part = []
        part.append(cue)
    yield part


def _without_repeats(cues: list[_Cue]) -> Iterator[str]:
    """Yield the texts of the cues without repetitions: live captions show a line again while the next line appears."""
    before = ""
    for cue in cues:
        if cue.text != before:
            yield cue.text
        before = cue.text


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
