"""Spacing rules after removing citation markers, and the words that replace markers in a sentence."""

import re

STATED_IN = r"(?:stated|described|noted|shown|reported|mentioned|defined|explained|set out|listed) in"
SAYS = (
    r"(?:states?|says?|notes?|reports?|shows?|mentions?|describes?|explains?|indicates?|confirms?|defines?|specif(?:y|ies)"
    r"|provides?(?= that))\b"
)
"""How a sentence says that a source says so."""

# A marker can also be a word of its sentence: "According to [1], …", "[1] states that …", "[1]에 따르면 …".
_BEFORE_NOUN = re.compile(
    rf"(?:\b(?:according to|based on|{STATED_IN})"
    r"|(?:^|[(.;] ?)see|(?:^|[.;\n] ?)(?:per|in)) $",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"[,.;:)]| \w")
_SENTENCE_START = re.compile(r"(?:^|(?<!\bal)[.!?。\n])[\"'”’)]*\s*(?:[-*•]\s+)?$")
_VERB = re.compile(f" {SAYS}")
_PARTICLE = re.compile(r"(?:에 (?:따르면|의하면)|에서[는도]?|에[는도]?|은|는|이|가|을|를|의|과|와|도)(?=\s)")

_CLOSING = frozenset(".,;:!?)]}»”’…。、，！？；：」』》）】")
_QUOTES = r"[\"'”’»)\]」』*_`]*$"
_STOPPED = re.compile(rf"[.!?…。！？｡]{_QUOTES}")
_ENDED = re.compile(rf"[.!?…,;:)\]]{_QUOTES}")
WIDE_STOP = re.compile(rf"[。！？｡]{_QUOTES}")
"""The end of a sentence that no space follows."""


def line_breaks(space: str) -> int:
    return len(f"{space}.".splitlines()) - 1


def gap(left: str, before: str, after: str, right: str) -> str:
    """Return the white space to keep of `before` and `after`, which surrounded the markers.

    `left` and `right` are the next few characters beyond it, empty where the text ends.
    """
    if not right:
        return after
    if line_breaks(before) and line_breaks(after):
        return max(before, after, key=line_breaks)
    if not left or line_breaks(before):
        return before
    if line_breaks(after):
        return after
    return _gap_in_line(left, before, after, right)


def _gap_in_line(left: str, before: str, after: str, right: str) -> str:
    closes = right[0] in _CLOSING and not (after and (right[1:].isalnum() or _STOPPED.search(left)))
    if closes or left[-1] in "([{“‘" or (right[0] in "\"'*_" and not after):
        return ""
    if WIDE_STOP.search(left) and not after:
        return ""
    if before or after:
        return after or before
    if not right[0].isalnum() or WIDE_STOP.search(left):
        return ""
    joins_words = left[-1].isalnum() and left[-1].isascii() and right[0].isascii()
    return " " if joins_words or _ENDED.search(left) else ""


def replacement_word(text: str, first: int, end: int, *, several: bool) -> str:
    """Return the word for the markers at `text[first:end]` if they are the object or subject of a sentence, else ""
    (none)."""
    start = max(0, first - 40)
    if _PARTICLE.match(text, end) and (not first or text[first - 1].isspace()):
        return "출처"
    subject = _VERB.match(text, end) and _SENTENCE_START.search(text, start, first)
    object_ = _BEFORE_NOUN.search(text, start, first) and _GOES_ON.match(text, end)
    if not subject and not object_:
        return ""
    return f"{'The' if subject else 'the'} source{'s' if several else ''}"
