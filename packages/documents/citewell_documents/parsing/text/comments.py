"""Comments of markup, which stand in no document that is made from it."""

import re

_LATEX = re.compile(
    r"\\begin\{(?P<raw>comment|[vV]erbatim\*?|lstlisting|minted)\}|^[ \t]*(?P<off>\\iffalse)(?![a-zA-Z])"
    r"|^[ \t]*(?P<line>%[^\n]*\n)|(?P<rest>%[^\n]*)"
    r"|\\verb\*?(?P<quote>[^\w\s*])[^\n]{0,500}?(?P=quote)|\\(?:url|href|path)[ ]?\{[^{}\n]{0,2000}\}|\\.",
    re.MULTILINE,
)
_ON_AGAIN = re.compile(r"\\(?:fi|else)(?![a-zA-Z])")
_ASCIIDOC = re.compile(
    r"^(?P<fence>/{4,}|-{4,}|\.{4,}|\+{4,}|`{3,})(?:[ \t]*|(?<=`)\w{1,50})$|^//(?!/)[^\n]*\n?", re.MULTILINE
)
_RST = re.compile(
    r"^(?P<indent>[ \t]*)\.\.[ \t](?![ \t]*(?:[_\[|]|[^\n]{0,200}?::))[^\n]*\n(?:(?P=indent)[ \t]+[^\n]*\n|[ \t]*\n)*",
    re.MULTILINE,
)


def without_comments(text: str, suffix: str) -> str:
    """The text of LaTeX, AsciiDoc or reStructuredText without what its author wrote for other authors."""
    if suffix == ".rst":
        return _RST.sub("\n", text)
    pattern, end_of = (_LATEX, _end_of_latex) if suffix == ".tex" else (_ASCIIDOC, _end_of_block)
    kept: list[str] = []
    at = 0
    while match := pattern.search(text, at):
        end, is_comment = end_of(text, match)
        kept.append(text[at : match.start() if is_comment else end])
        at = end
    return "".join((*kept, text[at:]))


def _end_of_latex(text: str, match: re.Match[str]) -> tuple[int, bool]:
    """Where that ends which the match begins, and whether it is a comment."""
    if raw := match["raw"]:
        closing = f"\\end{{{raw}}}"
        end = text.find(closing, match.end())
        return (len(text) if end < 0 else end + len(closing)), raw == "comment" and end >= 0
    if match["off"]:
        on_again = _ON_AGAIN.search(text, match.end())
        return (on_again.end() if on_again else len(text)), on_again is not None
    return match.end(), bool(match["line"] or match["rest"])


def _end_of_block(text: str, match: re.Match[str]) -> tuple[int, bool]:
    """The same for AsciiDoc: a block ends with the line that it began with."""
    if not (fence := match["fence"]):
        return match.end(), True
    closing = re.compile(rf"^{re.escape(fence)}[ \t]*$\n?", re.MULTILINE).search(text, match.end())
    return (closing.end() if closing else len(text)), fence.startswith("/") and closing is not None
