"""Finds citation markers in an answer, and the sources they point to (V5)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from citewell_verify.markers.citable import Citable, citable
from citewell_verify.markers.places import Places, encloses, protected_regions

_WIDEST_RANGE = 50
_DASH = r"[ \t]?[-–—~～‐‑][ \t]?"
_NUMBER = rf"[†^]?+\s?+\d{{1,9}}+(?:{_DASH}†?\d{{1,9}}+)?+(?:†[^\[\]【】〔〕［］`\n]{{0,40}}+|\^)?+"
_PAGE = rf"(?:\s?,?\s?(?:pp?\.|pages?)\s?\d{{1,5}}(?:{_DASH}\d{{1,5}}+)?+)?+"
_SOURCE = r"(?:sources?+|refs?\.?|references?|citations?|출처|근거|来源|來源|出处|出典|quellen?|fuentes?)"
_LABEL = rf"{_SOURCE}\s?+[:：]?+\s?+"
_DOCUMENT = r"(?:doc(?:ument)?s?|passages?|chunks?|문서)\s?+[:：#]?+\s?+"
# All repetitions are possessive (`++`), because an answer may be hostile and matching must stay linear.
_MORE = rf"(?:\s{{0,2}}+(?:[,;、，；·&]|and|및)\s{{0,2}}+(?:{_LABEL})?{_NUMBER}{_PAGE})*+"
_LIST = rf"{_NUMBER}{_PAGE}{_MORE}"
_BODY = rf"\s?(?:{_LABEL}|{_DOCUMENT})?{_LIST}\s?"
_PAIRS = ("［］", "【】", "〔〕", "〖〗", "﹝﹞", "⟦⟧", "〚〛")
_SQUARE = rf"(?P<outer>(?:\[\s?){{0,4}})(?P<escaped>\\)?\[{_BODY}(?(escaped)\\\]|\])(?P<closing>(?:\s?\]){{0,4}})"
_WIDE = "|".join(f"{opening}{_BODY}{closing}" for opening, closing in _PAIRS)
# `[1]: https://…` defines a link; `[1](https://…)` is a citation with the address of its source.
_NO_DEFINITION = r"(?!:\s?(?:https?:|www\.))"
_ADDRESS = r"[^\s()]{0,500}(?:\([^\s()]{0,100}\)[^\s()]{0,200})?"
_IS_ADDRESS = r"(?=[a-z][a-z0-9+.-]{0,20}:/|mailto:|www\.|[/#.]|[^\s()]{1,100}\.[a-z]{2,5}[)#?])"
_TARGET = rf"(?P<link>\({_IS_ADDRESS}{_ADDRESS}(?:\s+\"[^\"\n]{{0,100}}\")?\))?"
_RAISED_DIGITS = "¹²³⁰⁴⁵⁶⁷⁸⁹"
_RAISED = rf"(?P<raised>⁽?[{_RAISED_DIGITS}]{{1,4}}+(?:(?:[,;˒]\s?|[⁻–⁃-])[{_RAISED_DIGITS}]{{1,4}}+)*+⁾?)(?![⁺⁻])"
_INNER = rf"(?:\[{_BODY}\]|{_WIDE}|{_LIST}|[{_RAISED_DIGITS}]{{1,4}}+)"
_SUP = (
    r"(?P<sup><sup\b[^<>\n]{0,100}>\s?(?:<a\b[^<>\n]{0,200}>)?"
    rf"{_INNER}(?:\s?[,;]?\s?{_INNER})*+(?:</a>)?\s?</sup>)"
)
_NAME = r"(?:[^\[\]()（）【】\n]|\([^()\n]{0,80}\)|\[[^\[\]\n]{0,80}\]){1,200}+"
_CITED_NAME = rf"\s?{_SOURCE}\s?(?:\d{{1,4}}\s?)?[:：]{_NAME}"
_NAMED = rf"(?P<named>\[{_CITED_NAME}\]|[(（]{_CITED_NAME}[)）]|【{_CITED_NAME}】)"
_OPENS = rf"[\[(（<\\{_RAISED_DIGITS}⁽{''.join(pair[0] for pair in _PAIRS)}]"
_ANY_OPENING = re.compile(_OPENS)
_FORM = re.compile(
    rf"(?={_OPENS})(?:(?:{_SQUARE}|{_WIDE}){_NO_DEFINITION}{_TARGET}|[(（]\s?{_LABEL}{_LIST}\s?[)）]|{_SUP}|{_RAISED}|{_NAMED})",
    re.IGNORECASE,
)
_POINTER = re.compile(rf"(\d+)(?:{_DASH}†?(\d+))?(?:†[^,;\])】]*|{_PAGE})", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]*>|\]\([^()]*\)")
_LABELLED = re.compile(rf"[\[(（【]\s?{_SOURCE}\s?[:：]?\s*(.*?)\s*[\])）】]", re.IGNORECASE | re.DOTALL)
_TO_DIGITS = str.maketrans(_RAISED_DIGITS + "⁻⁃˒", "1230456789--,")
_ONLY_DASH = re.compile(_DASH)
_ENDS = re.compile(r"[ \t]*(?:[.,;:!?。！？、]|\n|\Z)")


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation marker: `text[start:end]` cites the sources `numbers`, in the order written, each once.

    `missing` are the names that it cites and no source has: `[Source: AAPL 10-K 2019]`. A marker may have only missing
    names.
    """

    start: int
    end: int
    numbers: tuple[int, ...]
    missing: tuple[str, ...] = ()


def cited_markers(text: str, sources: Citable | int | None = None) -> list[Marker]:
    """Return the citation markers of `text` in order, without overlaps.

    Forms: `[†1]`, `[1]`, `[^1]`, `[1, 2]`, `[1-3]`, `[1]–[3]`, `[†1, p.4]`, `［1］`, `〔1〕`, `【1†L3】`, `[[1]]`,
    `[1](url)`, `<sup>1</sup>`, `¹`, `[Source: 1]`, `(Source: 1)`, `[출처: 1]`, `[Document 1]`, and names:
    `[Source: AAPL 10-Q 2023]`, `(Source: policy.pdf, p. 7)`.

    A bracket is a marker only in places where citations occur: not in code, formulas, links and addresses, and not as
    an index (`a[1]`), interval (`on [0, 1]`), exponent or year (`[2023]`). Numbers are as written, so they may point to
    no source; a range that runs backwards or over more than 50 numbers stands for its two ends.

    `sources` are those of the answer (or their number): names become numbers, and a list of numbers that could also be
    an interval counts as an interval if one of its numbers is not that of a source. Linear in the length of `text`.
    """
    matches = list(_FORM.finditer(text)) if _ANY_OPENING.search(text) else []
    if not matches:
        return []
    known = citable(sources)
    regions = protected_regions(text)
    places = Places(text, known.count if known else None)
    markers: list[Marker] = []
    for match in matches:
        marker, is_bare = _marker(match, known)
        if encloses(regions, marker.start, marker.end):
            continue
        if match["raised"] or (match["sup"] and is_bare):
            cites = not places.is_exponent(marker.start, marker.end)
        else:
            cites = not is_bare or places.cites(marker.start, marker.end, marker.numbers, is_linked=bool(match["link"]))
        if cites and not (known and is_bare and known.is_content(text, marker.start, marker.end, marker.numbers)):
            _add(markers, marker, text)
    return markers


def _marker(match: re.Match[str], sources: Citable | None) -> tuple[Marker, bool]:
    start, end = match.span()
    text = match[0]
    if match["named"]:
        numbers, missing = _named(text, sources)
        return Marker(start, end, numbers, missing), False
    if match["raised"]:
        return Marker(start, end, _raised(text, sources)), True
    if match["sup"]:
        return Marker(start, end, _numbers(_MARKUP.sub(" ", text).translate(_TO_DIGITS))), not re.search(
            r"[\[【［〔]", text
        )
    if match["outer"] is not None:
        start, end = _balanced(match)
    digits = text[start - match.start() : end - match.start()]
    digits = digits[: match.start("link") - start] if match["link"] else digits
    return Marker(start, end, _numbers(digits)), digits.lstrip("\\[［ ")[:1].isdigit()


def _balanced(match: re.Match[str]) -> tuple[int, int]:
    """The place of a bracket with the brackets around it that have both sides: `[[1]]`, but in `[[1], [2]]` only
    `[1]`.
    """
    depth = min(match["outer"].count("["), match["closing"].count("]"))
    start, end = match.end("outer"), match.start("closing")
    for _ in range(depth):
        start = match.string.rindex("[", match.start(), start)
        end = match.string.index("]", end) + 1
    return start, match.end() if end == match.end("closing") else end


def _numbers(marker: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(number for match in _POINTER.finditer(marker) for number in _range(*match.groups())))


def _range(first: str, last: str | None) -> Iterator[int]:
    low, high = int(first), int(last or first)
    if low <= high < low + _WIDEST_RANGE:
        yield from range(low, high + 1)
    else:
        yield from (low, high)


def _raised(text: str, sources: Citable | None) -> tuple[int, ...]:
    """The numbers of raised digits: `¹²` is source 12, or 1 and 2 if there are fewer sources."""
    numbers = _numbers(text.strip("⁽⁾").translate(_TO_DIGITS))
    if sources and len(numbers) == 1 and numbers[0] not in sources:
        digits = tuple(dict.fromkeys(int(digit) for digit in str(numbers[0])))
        return digits if all(digit in sources for digit in digits) else numbers
    return numbers


def _named(text: str, sources: Citable | None) -> tuple[tuple[int, ...], tuple[str, ...]]:
    labelled = _LABELLED.fullmatch(text)
    name = labelled[1] if labelled else text
    if re.fullmatch(rf"(?:[\[\]\s,;]|and|{_LIST})+", name, re.IGNORECASE) and any(map(str.isdigit, name)):
        return _numbers(name), ()
    name = re.sub(r"\[([^\[\]]*)\](?:\([^()]*\))?", r"\1", name)
    if numbered := re.match(r"(\d{1,4})(?:\s*[:：]\s+|\s+[-–—]\s+|\s*,\s+)(?=\S)", name):
        return (int(numbered[1]),), ()
    return sources.resolve(name) if sources else ((), (" ".join(name.split()),))


def _add(markers: list[Marker], marker: Marker, text: str) -> None:
    """Add a marker; `[1]–[3]` becomes one marker for 1, 2 and 3."""
    last = markers[-1] if markers else None
    dash = text[last.end : marker.start] if last and marker.start - last.end <= 3 else ""
    joins = _ONLY_DASH.fullmatch(dash) and (len(dash) == 1 or _ENDS.match(text, marker.end))
    if last and joins and len(last.numbers) == len(marker.numbers) == 1:
        numbers = tuple(dict.fromkeys(_range(str(last.numbers[0]), str(marker.numbers[0]))))
        markers[-1] = Marker(last.start, marker.end, numbers)
    else:
        markers.append(marker)
