"""Finds the headings that DART's files write as paragraphs or cells: titles of notes and of financial statements."""

import re

_PLACE = re.compile(
    r"<(?P<table>/?table)\b|<h(?P<level>[1-6])\b[^<>]*>(?P<heading>(?:[^<]|<(?!/?h[1-6]\b)){1,300})</h[1-6]>"
    r"|<p\b[^<>]*>\s*(?:<(?:span|b)\b[^<>]*>\s*)*"
    r"(?P<title>(?P<number>\d{1,2})\s?\.\s?(?=[^\W\d])[^<>\n]{2,60}?)\s*:?\s*(?=<br\b|</(?:p|span|b)>)",
    re.IGNORECASE,
)
_NOTES = re.compile(r"주\s*석\W*$")
_TAG = re.compile(r"<[^<>]*>")
_SENTENCE = re.compile(r"[다.:]$")
_MOST_MISSED = 5  # titles that run into their text
_STATEMENT = re.compile(
    r"(<tr\b[^<>]{0,500}>)\s*<td\b[^<>]*>\s*(?:<(?:p|b)\b[^<>]*>\s*)*"
    r"((?:연결|별도)?\s?(?:재무상태표|대차대조표|(?:포괄)?손익계산서|자본변동표|현금흐름표"
    r"|(?:이익잉여금|결손금)처[분리]계산서)(?:\(안\))?)"
    r"\s*(?:</(?:p|b)>\s*)*</td>\s*(?=</tr>)",
    re.IGNORECASE,
)
_LEVEL = 5  # below sections and parts of them


def with_statement_headings(html: str) -> str:
    """Return HTML in which the name of a financial statement, alone in its row of a table, is a heading."""
    return _STATEMENT.sub(rf"\1<td><h{_LEVEL}>\2</h{_LEVEL}></td>", html)


def with_note_headings(html: str) -> str:
    """Return HTML in which "5. 유형자산", alone in its line and in sequence below the title 주석, is a heading."""
    parts: list[str] = []
    done = level = number = depth = 0
    for place in _PLACE.finditer(html):
        if place["table"]:
            depth = max(0, depth + (-1 if place["table"].startswith("/") else 1))
        elif place["level"]:
            begins = _NOTES.search(_TAG.sub("", place["heading"]).strip()) is not None
            if begins or int(place["level"]) <= level:
                level, number = (int(place["level"]) if begins else 0), 0
        elif (
            level
            and not depth
            and number < int(place["number"]) <= number + 1 + _MOST_MISSED
            and not _SENTENCE.search(place["title"])
        ):
            number = int(place["number"])
            heading = f"<h{level + 1}>{place['title']}</h{level + 1}><p>"
            parts += (html[done : place.start()], heading)
            done = place.end()
    return "".join((*parts, html[done:]))
