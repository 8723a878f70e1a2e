"""The audit of a result: records that prove it, chained by their hashes, so that none can be changed alone (N6).

A record is a JSON object of strings, integers, booleans and objects of these; it has hashes of contents, never
contents. Its canonical form is that of RFC 8785: keys in order, no space, UTF-8. It has no other numbers than integers,
because programs could differ about their form. The hash of a record is the SHA-256 of the previous hash, in
hexadecimal, followed by the record's canonical form; the hash before the first record is empty.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple, cast

FORMAT = 1
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))
Record = Mapping[str, Any]

IDENTITIES: Mapping[str, tuple[str, ...]] = {
    "request": (),
    "source": ("chunk_id", "document_id"),
    "prompt": ("name", "version"),
    "call": ("call",),
    "outcome": ("round", "step", "item"),
    "answer": ("round",),
    "edit": ("round", "index"),
    "citation": ("round", "position"),
    "verification": ("verification",),
    "verdict": ("verification", "position"),
    "result": (),
}
"""The fields that identify a record within its kind."""
UNREADABLE = "unreadable"
"""The kind of an entry that was put in the place of a record, but is no record."""

_ERASABLE = {"call": "reply_sha256", "source": "sha256"}
# Work that was under way when the query ended is stored nevertheless, because it was paid for.
_LATER = frozenset({"call", "outcome"})


@dataclass(frozen=True, slots=True)
class Chain:
    """Canonical records and the hash of each, in hexadecimal."""

    records: Sequence[str]
    hashes: Sequence[str]

    @property
    def head(self) -> str:
        """The last hash, which proves all records before it. It is empty if the chain has no record left."""
        return self.hashes[-1] if self.hashes else ""


class Difference(NamedTuple):
    """A record that has changed. `fields` name the fields that differ, as far as they are known."""

    seq: int | None
    kind: str
    what: Literal["broken", "changed", "missing", "added"]
    record: dict[str, Any]
    fields: tuple[str, ...] = ()


class Audited(NamedTuple):
    """The result of checking a chain. `erased` counts contents that are gone and whose hashes are left; `later` counts
    the calls and outcomes stored after the end; `unknown` counts the prompts that this program has only in other
    versions."""

    differences: list[Difference]
    erased: int
    later: int
    unknown: int


def canonical(record: Record) -> str:
    """The record in the form that is hashed. Raises TypeError for a value without a canonical form, such as a float."""
    _check(record)
    return _CANONICAL.encode(record)


def _check(value: object) -> None:
    if isinstance(value, Mapping):
        for part in value.values():  # pyright: ignore[reportUnknownVariableType]
            _check(part)  # pyright: ignore[reportUnknownArgumentType]
    elif value is not None and not isinstance(value, (str, int)):
        raise TypeError(f"{type(value).__name__} is not a value of an audit record")


def chain(contents: Sequence[Record]) -> Chain:
    records = [canonical({**content, "seq": seq}) for seq, content in enumerate(contents, start=1)]
    return Chain(records, hashes_of(records))


def read_record(stored: Sequence[str], place: int) -> dict[str, Any]:
    """The record at `place`, from 0, as an object; a record of the kind `unreadable` if it cannot be read any more."""
    text = stored[place]
    try:
        record = json.loads(text)
    except ValueError:
        record = None
    if _is_record(record, place + 1):
        return cast("dict[str, Any]", record)
    return {"seq": place + 1, "kind": UNREADABLE, "text": text}


def _is_record(value: object, seq: int) -> bool:
    if not isinstance(value, dict):
        return False
    record = cast("dict[str, Any]", value)
    kind = record.get("kind")
    if not isinstance(kind, str) or kind == UNREADABLE or record.get("seq") != seq:
        return False
    return all(isinstance(record.get(name), str | int | None) for name in IDENTITIES.get(kind, ()))


def hashes_of(records: Sequence[str]) -> list[str]:
    hashes, last = list[str](), ""
    for record in records:
        last = hashlib.sha256((last + record).encode()).hexdigest()
        hashes.append(last)
    return hashes


def broken_links(stored: Chain) -> list[int]:
    """The places, from 0, of records whose stored hash does not follow from the record and the previous hash."""
    before = ["", *stored.hashes]
    broken = [
        place
        for place, (record, (last, own)) in enumerate(zip(stored.records, pairwise(before), strict=False))
        if hashlib.sha256((last + record).encode()).hexdigest() != own
    ]
    return (
        broken if len(stored.records) == len(stored.hashes) else [*broken, min(map(len, (stored.records, before[1:])))]
    )


def audit(stored: Chain, head: str, now: Sequence[Record]) -> Audited:
    then = [read_record(stored.records, place) for place in range(len(stored.records))]
    # An entry that is no record is broken, even if the hashes were recomputed.
    lost = {place for place, record in enumerate(then) if record["kind"] == UNREADABLE}
    differences: list[Difference] = []
    for place in sorted({*broken_links(stored), *lost}):
        broken = then[place] if place < len(then) else {"kind": "record"}
        differences.append(Difference(place + 1, broken["kind"], "broken", broken))
    if not differences and stored.head != head:
        differences.append(Difference(None, "head", "broken", {"head": head}))
    left = {_identity(record): record for record in now}
    erased = unknown = 0
    for record in (entry for entry in then if entry["kind"] != UNREADABLE):
        current = left.pop(_identity(record), None)
        fields = current or {}
        names = sorted({*record, *fields} - {"seq"})
        differs = tuple(name for name in names if record.get(name) != fields.get(name))
        if _is_erased(record, current, differs):
            erased += 1
        elif record["kind"] == "prompt" and differs:
            unknown += 1
        elif differs:
            what = "changed" if current is not None else "missing"
            differences.append(Difference(record["seq"], record["kind"], what, record, differs if current else ()))
    later = sum(record["kind"] in _LATER for record in left.values())
    added = [record for record in left.values() if record["kind"] not in _LATER | {"prompt"}]
    differences += [Difference(None, record["kind"], "added", dict(record)) for record in added]
    return Audited(differences, erased, later, unknown)


def _identity(record: Record) -> tuple[Any, ...]:
    kind = record["kind"]
    return kind, *(record.get(name) for name in IDENTITIES.get(kind, ()))


def _is_erased(then: Record, now: Record | None, differs: Sequence[str]) -> bool:
    """True if the record only differs because a content was erased: a reply, or a source whose document was deleted."""
    field = _ERASABLE.get(then["kind"])
    if field is None or then.get(field) is None:
        return False
    if now is None:
        # A passage is deleted with its document, which has versions. A text that came with a request has no version; it
        # is deleted only with its query.
        return then["kind"] == "source" and "version" in then
    return tuple(differs) == (field,) and now.get(field) is None
