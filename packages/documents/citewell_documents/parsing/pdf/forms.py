"""The fields of a PDF's forms: puts the value of a field beside its label, and marks boxes as ticked or not ticked."""

from collections.abc import Sequence
from typing import NamedTuple

from citewell_documents.parsing.pdf.annotations import Field
from citewell_documents.parsing.pdf.glyphs import Box, Glyphs, enclosing

_TICKED, _UNTICKED, _SPACE, _COLON = 0x2611, 0x2610, 0x20, 0x3A  # ☑, ☐
_PUT = -1  # the index of a space beside a value

Characters = list[tuple[int, int]]


class Run(NamedTuple):
    """The characters of a line, as index and code; `divided`: the last word continues in the next line."""

    characters: Characters
    divided: bool = False


def with_fields(runs: Sequence[Run], fields: Sequence[Field], glyphs: Glyphs) -> list[Run]:
    """The runs with the values of the fields, which are drawn last, moved to their places on the page."""
    if not fields:
        return list(runs)
    filled: dict[int, Characters] = {}
    rest: list[Run] = []
    for run in runs:
        kept: Characters = []
        target = kept
        for index, code in run.characters:
            if code > _SPACE:
                box = glyphs.box(index)
                x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
                places = (field.box for field in fields)
                inside = (
                    at for at, (left, low, right, high) in enumerate(places) if left <= x <= right and low <= y <= high
                )
                at = next(inside, None)
                target = kept if at is None else filled.setdefault(at, [])
            target.append((index, code))
        if any(code > _SPACE for _, code in kept):
            rest.append(Run(kept, run.divided))
    for at, field in enumerate(fields):
        if field.ticked is not None:  # the file's own mark may be a letter of any font, or missing
            filled[at] = [(glyphs.add(field.box), _TICKED if field.ticked else _UNTICKED)]
    hosts = [(run, _around(run.characters, glyphs)) for run in rest]
    for at in sorted(filled, key=lambda at: (-fields[at].box[1], fields[at].box[0])):
        _place(filled[at], hosts, glyphs)
    return [run for run, _ in hosts]


def _place(characters: Characters, hosts: list[tuple[Run, Box]], glyphs: Glyphs) -> None:
    """Put the characters of a value into the line at the same height, after the text to the left of it; or else below
    the next line above it.
    """
    own = _around(characters, glyphs)
    middle = (own[1] + own[3]) / 2
    beside = [at for at, (_, box) in enumerate(hosts) if box[1] <= middle <= box[3]]
    if beside:
        at = min(beside, key=lambda at: (max(0.0, hosts[at][1][0] - own[0]), abs(own[0] - hosts[at][1][2])))
        run, box = hosts[at]
        joined = _joined(run.characters, characters, own, glyphs)
        left, right = min(box[0], own[0]), max(box[2], own[2])
        hosts[at] = (Run(joined, run.divided), (left, box[1], right, box[3]))
        return
    above = [at for at, (_, box) in enumerate(hosts) if box[1] > middle and box[0] < own[2] and own[0] < box[2]]
    at = min(above, key=lambda at: hosts[at][1][1]) + 1 if above else len(hosts)
    if not above:
        at = next((at for at, (_, box) in enumerate(hosts) if box[3] < middle), len(hosts))
    hosts.insert(at, (Run([*characters, (_PUT, _SPACE)]), own))


def _joined(line: Characters, characters: Characters, own: Box, glyphs: Glyphs) -> Characters:
    at = next(
        (at for at, (index, code) in enumerate(line) if code > _SPACE and glyphs.box(index)[0] >= own[0]), len(line)
    )
    label, space = line[:at], (_PUT, _SPACE)
    while label and label[-1][1] in (_SPACE, _COLON) and label[-1][0] != _PUT:
        label.pop()
    if not _is_name(label) or characters[0][1] in (_TICKED, _UNTICKED):
        return [*line[:at], space, *characters, space, *line[at:]]
    # A colon joins a label and its value, so that they are not read as cells of two columns, nor the first pair as the
    # head of others.
    _, bottom, right, top = glyphs.box(label[-1][0])
    colon = (glyphs.add((right, bottom, max(right, own[0]), top)), _COLON)
    return [*label, colon, space, *characters, space, *line[at:]]


def _is_name(line: Characters) -> bool:
    """True if the text since the value before is the name of the next value, and no part of a sentence."""
    since = max((at for at, (index, _) in enumerate(line) if index == _PUT), default=-1)
    words = "".join(chr(code) for _, code in line[since + 1 :]).lstrip()
    return bool(words) and not words[0].islower() and words[-1].isalnum()


def _around(characters: Characters, glyphs: Glyphs) -> Box:
    return enclosing(glyphs.box(index) for index, code in characters if code > _SPACE)
