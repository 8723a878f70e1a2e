"""Reads records of a source: `key: value` pairs on consecutive lines or on one line (V2)."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_MOST_KEY, _MOST_VALUE, _MOST_LINE = 40, 120, 600
_PAIR = re.compile(r"[\s*•·-]*+([^\s:|,;(][^:|,;(\n]{0,39}):\s+(\S.{0,119})")
_SUBJECT = re.compile(
    r"[\s*•-]*+([^:;(\n]{1,60}?)(?:\s+[–—-]\s+|:\s+(?=[^:;,(]{1,40}:\s)|\s*\((?=[^:;,()]{1,40}:\s))(.*)", re.DOTALL
)
_BETWEEN = re.compile(r"[;,·/]\s+")
_TITLE = re.compile(r"[\s#*■▶]*([^.!?。|]{1,80}?)[\s:*#]*")


@dataclass(frozen=True, slots=True)
class Record:
    """The (key, value) `pairs` of the thing `label`; empty if only the `heading` may name it."""

    label: str
    pairs: tuple[tuple[str, str], ...]
    heading: str


def parse_records(lines: Sequence[str]) -> tuple[list[Record], list[str]]:
    blocks: list[tuple[str, list[tuple[str, str]]]] = []
    records: list[Record] = []
    others: list[str] = []
    title = ""
    block: list[tuple[str, str, str]] = []
    for line in (*lines, ""):
        pair = _PAIR.fullmatch(line)
        running = _inline_record(line) if len(line) <= _MOST_LINE else None
        if pair and not running:
            block.append((pair[1].strip(" *"), pair[2].strip(" *"), line))
            continue
        if len(block) > 1:
            blocks.append((title, [(key, value) for key, value, _ in block]))
        else:
            others += [text for _, _, text in block]
        block = []
        if running:
            records.append(Record(running[0] or title, running[1], ""))
            continue
        others.append(line)
        if line.strip():
            match = _TITLE.fullmatch(line[:_MOST_LINE])
            title = match[1].strip() if match else ""
    counted = Counter(pairs[0][0] for _, pairs in blocks)
    for above, pairs in blocks:
        records += _records_of_block(above, pairs, shared=counted[pairs[0][0]] > 1)
    return records, others


def _records_of_block(above: str, pairs: Sequence[tuple[str, str]], *, shared: bool) -> list[Record]:
    """Return one record, or one for each repetition of the first key.

    Records of a kind are named by their first value, a single one by its heading.
    """
    first = pairs[0][0]
    starts = [at for at, (key, _) in enumerate(pairs) if key == first]
    ends = [*starts[1:], len(pairs)]
    if shared or len(starts) > 1:
        parts = [pairs[start:end] for start, end in zip(starts, ends, strict=True)]
        return [Record(part[0][1], tuple(part[1:]), above) for part in parts if len(part) > 1]
    return [Record(above, tuple(pairs), "")]


def _inline_record(line: str) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """Return the subject and pairs of a line such as "X1: price: 5, weight: 3 kg"; None if it has fewer than two
    pairs."""
    if line.count(":") < 2:
        return None
    text, label = line.strip().rstrip(".。)"), ""
    if subject := _SUBJECT.match(text):
        label, text = subject[1].strip(), subject[2]
    pairs: list[tuple[str, str]] = []
    for part in _BETWEEN.split(text):
        key, colon, value = part.partition(": ")
        if colon and value and len(key) <= _MOST_KEY and len(value) <= _MOST_VALUE:
            pairs.append((key.strip(" -*•"), value.strip()))
        elif pairs and not colon:
            pairs[-1] = (pairs[-1][0], f"{pairs[-1][1]}, {part.strip()}")
        else:
            return None
    return (label, tuple(pairs)) if len(pairs) > 1 else None
