"""Finds the parts of an answer in which no bracket is a citation: code, mathematics, links, addresses, tags,
matrices."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

# Every repetition is bounded or possessive: an answer may be hostile, and matching must stay linear.
_FENCED = r"^\ {0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*\n(?:[^\n]*\n)*?\ {0,3}(?P=fence)[`~]*[ \t]*$"
_INLINE = r"(?<!`)(?P<ticks>`++)(?:[^\n]|\n(?![ \t]*\n))+?(?<!`)(?P=ticks)(?!`)"
_CODE = re.compile(rf"{_FENCED}|{_INLINE}", re.MULTILINE)
_HTML_CODE = r"<(?P<tag>code|pre|kbd|samp|math)\b[^<>\n]{0,100}>(?s:.){0,2000}?</(?P=tag)>"
_TAG = r"</?[a-zA-Z][^<>\n]{0,300}>"
_DISPLAY = r"\$\$[^$]{1,2000}+\$\$|\\\[(?!\s?[†^]?\d[\d\s,;†–-]{0,40}\\?\])(?s:.){1,1000}?\\\]|\\\((?s:.){1,500}?\\\)"
_ENVIRONMENT = r"\\begin\{(?P<environment>[a-z]{1,20}\*?)\}(?s:.){0,2000}?\\end\{(?P=environment)\}"
_DOLLARS = r"(?<![\w\\$])\$(?P<formula>(?![\s$])[^$\n]{1,300}+)(?<!\s)\$(?!\w)"
_ADDRESS = (
    r"(?:\b(?:https?|ftp)://|\bwww\.)"
    r"(?:[?&][\w.%-]{1,64}+\[[^\s\[\]]{0,64}\]|[^\s<>\"“”\[\]()（）。、，]|\([^\s()]{0,200}\)|\[[^\s\[\]]{0,64}\](?=[\w=&/%#-]))++"
)
_PATH = r"(?<!\w)[A-Za-z]:\\[^\s\"<>|]{1,300}+"
_ROW = r"\[\s?[-−+]?[\d.]{1,9}(?:\s?[,;]\s?[-−+]?[\d.]{1,9}){1,20}\s?\]"
_MATRIX = rf"\[\s?{_ROW}(?:\s?,\s?{_ROW}){{1,20}}\s?\]"
_TARGET = r"\([^()\s]{0,500}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?(?:\s+\"[^\"\n]{0,100}\")?\)"
_CITES = r"(?!\[{0,3}\s?[†^]?\s?\d[\d\s,;†–-]{0,40}\]{1,4}\()"
_LINK = rf"!?\[{_CITES}(?:[^\[\]\n]|\[[^\[\]\n]{{0,80}}\]){{1,200}}+\]{_TARGET}|(?<!\S)!\[[^\[\]\n]{{0,200}}\]{_TARGET}"
_OTHERS = re.compile("|".join((_HTML_CODE, _TAG, _DISPLAY, _ENVIRONMENT, _DOLLARS, _LINK, _ADDRESS, _PATH, _MATRIX)))
_CALCULATES = re.compile(r"[\\^_=<>≤≥+∈]")

Regions = Sequence[tuple[int, int]]
"""(start, end) of each region, in order and without overlaps."""


def code_regions(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in _CODE.finditer(text)] if "`" in text or "~~~" in text else []


def protected_regions(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) of each part of `text` in which a bracket is no citation, in order and without
    overlaps."""
    code = code_regions(text)
    regions: list[tuple[int, int]] = []
    position = 0
    for start, end in (*code, (len(text), len(text))):
        regions += _formal(text, position, start)
        if end > start:
            regions.append((start, end))
        position = end
    return regions


def encloses(regions: Regions, start: int, end: int) -> bool:
    """Say whether `start:end` lies in one of the regions or overlaps its edge; a region within it does not matter."""
    before = bisect_right(regions, start, key=lambda region: region[0]) - 1
    if before >= 0 and regions[before][1] > start and (regions[before][0] < start or regions[before][1] >= end):
        return True
    return any(first < end < last for first, last in regions[before + 1 : before + 9])


def _formal(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _OTHERS.finditer(text, start, end):
        formula = match["formula"]
        # "$5 [1], not 6$" is about money.
        if formula and formula[0].isdigit() and " " in formula and not _CALCULATES.search(formula):
            continue
        yield match.span()
