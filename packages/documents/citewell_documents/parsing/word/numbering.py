"""Computes list numbers and bullets of Word documents, because the files hold only the rules for them."""

import re
from dataclasses import dataclass, field

from docx.oxml.ns import qn

from citewell_documents.parsing.numerals import numeral
from citewell_documents.parsing.office.parts import Element

_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_BULLET = "•"


@dataclass(frozen=True, slots=True)
class _Level:
    kind: str
    pattern: str
    start: int


@dataclass(slots=True)
class Numbering:
    """Counts the paragraphs of every list of a document; request the labels in document order."""

    _lists: dict[str, tuple[str, dict[int, _Level]]] = field(default_factory=dict[str, tuple[str, dict[int, _Level]]])
    _counts: dict[str, list[int | None]] = field(default_factory=dict[str, list[int | None]])

    @classmethod
    def of(cls, part: Element | None) -> "Numbering":
        if part is None:
            return cls()
        items = part.findall(qn("w:abstractNum"))
        of_style = {style: _levels(item) for item in items if (style := _value(item, "w:styleLink"))}
        abstract = {
            item.get(qn("w:abstractNumId"), ""): _levels(item) or of_style.get(_value(item, "w:numStyleLink"), {})
            for item in items
        }
        return cls({number.get(qn("w:numId"), ""): _list(number, abstract) for number in part.findall(qn("w:num"))})

    def label(self, number_id: str, level: int) -> str:
        """The label of the next paragraph of a list, at a level from 0: `2.`, `(b)`, `1.3`, `•` or nothing."""
        key, levels = self._lists.get(number_id, ("", {}))
        level = min(max(level, 0), _LEVELS - 1)
        rule = levels.get(level, _Level("bullet", "", 1))
        if rule.kind == "bullet":
            return _BULLET
        counts = self._counts.setdefault(key, [None] * _LEVELS)
        counts[level] = rule.start if (last := counts[level]) is None else last + 1
        counts[level + 1 :] = [None] * (_LEVELS - level - 1)

        def written(place: re.Match[str]) -> str:
            at = int(place[1]) - 1
            own, count = levels.get(at, _Level("decimal", "", 1)), counts[at]
            return numeral(own.start if count is None else count, own.kind)

        return _PLACE.sub(written, rule.pattern).strip()


def _list(number: Element, abstract: dict[str, dict[int, _Level]]) -> tuple[str, dict[int, _Level]]:
    key = _value(number, "w:abstractNumId")
    levels = dict(abstract.get(key, {}))
    overrides = number.findall(qn("w:lvlOverride"))
    for override in overrides:
        level = _integer(override.get(qn("w:ilvl")), 0)
        levels |= _levels(override)
        if (start := override.find(qn("w:startOverride"))) is not None and level in levels:
            rule = levels[level]
            levels[level] = _Level(rule.kind, rule.pattern, _integer(start.get(qn("w:val")), 1))
    return (f"{key}/{number.get(qn('w:numId'))}" if overrides else key), levels


def _levels(parent: Element) -> dict[int, _Level]:
    return {
        _integer(level.get(qn("w:ilvl")), 0): _Level(
            _value(level, "w:numFmt") or "decimal", _value(level, "w:lvlText"), _integer(_value(level, "w:start"), 1)
        )
        for level in parent.findall(qn("w:lvl"))
    }


def _value(parent: Element, tag: str) -> str:
    child = parent.find(qn(tag))
    return "" if child is None else child.get(qn("w:val"), "")


def _integer(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() else default
