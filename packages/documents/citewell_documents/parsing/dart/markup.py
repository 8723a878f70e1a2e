"""Converts DART's XML to HTML: sections to headings, `TE` and `TU` to cells, and text that only looks like markup to
text.

The files are often not well-formed. "<당기>" and "R&D" are not escaped in them, and attributes have stray quotes. So
only DART's own elements count as markup, and of the attributes only those that a table needs.
"""

import re

_CELLS = {"TD": "td", "TE": "td", "TU": "td", "TH": "th"}
_ELEMENTS = {
    **_CELLS,
    **{name: name.lower() for name in ("P", "TABLE", "THEAD", "TBODY", "TFOOT", "TR")},
    "SPAN": "b",
    **{f"SECTION-{depth}": "div" for depth in range(1, 7)},
    **dict.fromkeys(("DOCUMENT", "BODY", "COVER", "PART", "LIBRARY", "INSERTION", "CORRECTION", "TABLE-GROUP"), "div"),
    **dict.fromkeys(("IMAGE", "WARNING"), "div"),
    "IMG-CAPTION": "p",
}
_TITLES = ("TITLE", "COVER-TITLE")
_DROPPED = ("COLGROUP", "COL", "PGBRK", "DOCUMENT-HEADER")
# The text of these elements is for machines: codes, names of files, styles. The header is read by
# `citewell_documents.parsing.dart.header`.
_SKIPPED = ("DOCUMENT-NAME", "FORMULA-VERSION", "COMPANY-NAME", "SUMMARY", "IMG", "style")
_NAMES = "|".join(sorted((*_ELEMENTS, *_TITLES, *_DROPPED, *_SKIPPED), key=len, reverse=True))
_TAG = re.compile(
    rf'<(?P<close>/?)(?P<name>{_NAMES})(?P<attributes>(?:\s(?:"[^"]{{0,2000}}"|[^"<>])*|\s[^<>]*)?)>'
    r"|<\?[^<>]*\?>|<!--"
)
_SHADED = re.compile(r'\bUSERMARK\s*=\s*"[^"]*\bBC0X')  # only heads have a background
_RUN_IN = re.compile(
    r'(<P\b[^<>]{0,500}>\s{0,9}<SPAN\b[^<>]{0,500}USERMARK="(?:[^"<>]{0,99}[ !-])?B(?:T\d{0,9})?[ "][^<>]{0,500}>'
    r"[^<>]{2,60}</SPAN>)(?=[^\s<])"
)
_SPAN = re.compile(r'\b(COLSPAN|ROWSPAN)\s*=\s*"?\s*(\d{1,5})')
_BREAK = re.compile(r"&(?:amp;)?cr;")
_BARE = re.compile(r"&(?!(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});)")
_SYLLABLES = re.compile(r"(?<=[가-힣])[ \t\u3000]+(?=[가-힣](?![가-힣]))")
_WORD = re.compile(r"[가-힣]+")
_LONGEST_SPACED = 60
_DEEPEST = 6


def as_html(text: str) -> str:
    """Return the visible part of a DART document as the body of an HTML page."""
    return "".join(_Converter().converted(_RUN_IN.sub(r"\1&cr;", text)))


def closed_up(text: str) -> str:
    """Return "재 무 상 태 표" as 재무상태표: blanks between single syllables only spread out a name on its line."""
    words = _WORD.findall(text) if len(text) <= _LONGEST_SPACED else []
    return _SYLLABLES.sub("", text) if len(words) > 1 and all(len(word) == 1 for word in words) else text


class _Converter:
    """Converts one document, and follows its sections: their depth is the depth of the titles in them."""

    def __init__(self) -> None:
        self._sections: list[str] = []
        self._levels: list[int] = []
        self._unclosed: set[str] = set()

    def converted(self, text: str) -> list[str]:
        parts: list[str] = []
        place = 0
        for tag in _TAG.finditer(text):
            if tag.start() >= place:
                parts += (_written(text[place : tag.start()]), self._converted(tag))
                place = self._end(tag, text)
        return [*parts, _written(text[place:])]

    def _end(self, tag: re.Match[str], text: str) -> int:
        """Return the end of the part that the tag begins: the tag alone, or the whole element if it is not shown."""
        closing = "-->" if tag[0] == "<!--" else f"</{tag['name']}>"
        shown = closing != "-->" and (tag["name"] not in _SKIPPED or tag["close"])
        if shown or closing in self._unclosed:
            return tag.end()
        end = text.find(closing, tag.end())
        if end < 0:
            self._unclosed.add(closing)  # so that it is looked for only once
            return tag.end()
        return end + len(closing)

    def _converted(self, tag: re.Match[str]) -> str:
        name = tag["name"]
        if name in _TITLES:
            if tag["close"]:
                return f"</h{self._levels.pop()}>" if self._levels else ""
            self._levels.append(1 if name == "COVER-TITLE" else min(max(1, len(self._sections)), _DEEPEST))
            return f"<h{self._levels[-1]}>"
        if name not in _ELEMENTS:
            return ""
        if name == "PART" or name.startswith(("SECTION", "TABLE-GROUP")):
            self._follow(name, closes=bool(tag["close"]))
        new = "th" if name == "TD" and _SHADED.search(tag["attributes"]) else _ELEMENTS[name]
        if tag["close"]:
            return f"</{new}>"
        spans = "".join(f' {span.lower()}="{count}"' for span, count in _SPAN.findall(tag["attributes"]))
        return f"<{new}{spans if name in _CELLS else ''}>" + (f"</{new}>" if tag["attributes"].endswith("/") else "")

    def _follow(self, name: str, *, closes: bool) -> None:
        if not closes:
            self._sections.append(name)
        elif name in self._sections:
            while self._sections.pop() != name:
                pass


def _written(text: str) -> str:
    lines = _BREAK.split(text)
    return "<br>".join(_BARE.sub("&amp;", closed_up(line).replace("<", "&lt;").replace(">", "&gt;")) for line in lines)
