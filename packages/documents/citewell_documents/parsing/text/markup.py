"""Markup of documentation (reStructuredText, AsciiDoc, LaTeX): the text in its own markup, with its headings."""

import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import PurePath

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty
from citewell_documents.parsing.decoding import decoded
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.text_builder import Heading, sections_from

_RULE = re.compile(r"([^\w\s])\1{2,}[ \t]*")
_ASCIIDOC = re.compile(r"(={1,6})[ \t]+(\S.*)")
_FENCE = re.compile(r"(?:-{4,}|\.{4,}|/{4,}|\+{4,}|`{3,})[ \t]*")
_LATEX = re.compile(r"\\(part|chapter|(?:sub){0,2}section|paragraph)\*?[ \t]*(?:\[[^\]\n]{0,500}\])?\{([^\n]{1,500})")
_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph")
_CODE = re.compile(
    r"\\begin\{([^{}\n]{0,30}(?:verbatim|listing|minted|alltt|filecontents|code)[^{}\n]{0,30})\}", re.IGNORECASE
)
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?|[{}$]")
_TITLE = re.compile(r"\\title\{([^{}\n]{1,500})\}")


def parse_markup(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read markup; the file name tells its kind. Raises DocumentUnreadable, DocumentEmpty or DocumentTooLarge."""
    suffix = PurePath(filename).suffix.lower()
    text = decoded(data, filename, limits)
    if suffix == ".tex" and not (text := _without_comments(text)).strip():
        raise DocumentEmpty(f"{filename} contains no text")
    headings = {".rst": _underlined, ".tex": _commanded}.get(suffix, _prefixed)
    title = _TITLE.search(text) if suffix == ".tex" else None
    metadata = {"title": _plain(title[1])} if title else {}
    return ParsedDocument(text, sections=sections_from(headings(text), len(text)), found=metadata)


def _without_comments(text: str) -> str:
    """LaTeX without comments, which are for other authors; code stays as it is written."""
    kept: list[str] = []
    shown_until = ""
    for line in text.splitlines(keepends=True):
        if not shown_until and line.lstrip().startswith("%"):
            continue
        kept.append(line)
        if shown_until:
            shown_until = "" if shown_until in line else shown_until
        elif (code := _CODE.search(line)) and (end := f"\\end{{{code[1]}}}") not in line[code.end() :]:
            shown_until = end
    return "".join(kept)


def _underlined(text: str) -> Iterator[Heading]:
    """Yield the titles above a line of signs of the same length; the sign, and whether such a line is also above the
    title, give the level.
    """
    levels: dict[tuple[str, bool], int] = {}
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for at in range(1, len(lines)):
        title, rule = lines[at - 1].strip(), lines[at].rstrip()
        above = lines[at - 2].rstrip() if at > 1 else ""
        is_title = _RULE.fullmatch(rule) and any(map(str.isalnum, title)) and len(title) <= len(rule)
        if is_title and (not above or above == rule):
            level = levels.setdefault((rule[0], above == rule), len(levels))
            yield Heading(starts[at - 1], title, (level,))


def _prefixed(text: str) -> Iterator[Heading]:
    start, fence = 0, ""
    for line in text.split("\n"):
        if _FENCE.fullmatch(line):
            fence = "" if line.rstrip() == fence else fence or line.rstrip()
        elif not fence and (match := _ASCIIDOC.fullmatch(line)):
            yield Heading(start, match[2].strip(), (len(match[1]),))
        start += len(line) + 1


def _commanded(text: str) -> Iterator[Heading]:
    for match in _LATEX.finditer(text):
        title = _plain(_argument(match[2]))
        if title:
            yield Heading(match.start(), title, (_LEVELS.index(match[1]),))


def _argument(rest: str) -> str:
    """The text before the brace that closes the argument."""
    depth = 1
    for at, character in enumerate(rest):
        depth += (character == "{") - (character == "}")
        if not depth:
            return rest[:at]
    return rest


def _plain(title: str) -> str:
    return " ".join(_COMMAND.sub("", title).replace("~", " ").replace("\\", "").split())
