"""The blocks of a document without pages, so that it can be shown with its headings, tables and cells.

Blocks are slices of the stored text, in order. A document is shown from its blocks and its text, never from the file's
own markup.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

BlockKind: TypeAlias = Literal["heading", "text", "lines", "table"]
MOST_BLOCKS = 100_000


class SheetPlace(NamedTuple):
    """The position of a block in a spreadsheet: its first row, the rows that its first line fills, and its columns.

    Rows and columns are counted from 1.
    """

    row: int
    first_rows: int
    columns: tuple[int, ...]


class Block(NamedTuple):
    """`text[start:end]`: a heading of a `level` (from 1), running text, lines to be kept as they are, or a table.

    A table has one row per line, tabs between its cells, and the names of its columns up to `header_end`.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    header_end: int = 0
    place: SheetPlace | None = None


def are_sound(blocks: Sequence[Block], length: int) -> bool:
    """True if all blocks lie within a text of this `length`, in order."""
    return all(0 <= block.start <= block.end <= length and block.header_end <= block.end for block in blocks) and all(
        before.end <= after.start for before, after in pairwise(blocks)
    )


def stored(blocks: Sequence[Block]) -> list[list[Any]]:
    """The fields of each block as a list, without empty fields at its end."""
    stored_blocks: list[list[Any]] = []
    for block in blocks:
        fields = [*block[:5], list(block.place or ())]
        while not fields[-1]:
            fields.pop()
        stored_blocks.append(fields)
    return stored_blocks


def restored(stored: Sequence[Sequence[Any]]) -> list[Block]:
    blocks: list[Block] = []
    for fields in stored:
        place = fields[5] if len(fields) > 5 else None
        blocks.append(Block(*fields[:5], place=SheetPlace(place[0], place[1], tuple(place[2])) if place else None))
    return blocks
