"""The length up to which a statement is compared with its sources fact by fact.

A sentence of an answer has some hundred characters. One of thousands is an unpunctuated list, or meant to keep the
judge busy; whether all of it is true cannot be judged with care, so it is not supported unless a source has it
verbatim.
"""

from domain.text.sentences import LONGEST_SENTENCE

LONGEST_STATEMENT = LONGEST_SENTENCE

TOO_LONG = (
    f"a statement of more than {LONGEST_STATEMENT:,} characters is not read fact by fact: make shorter ones of it"
)


def is_too_long(statement: str) -> bool:
    return len(statement) > LONGEST_STATEMENT


def stands_in(statement: str, source: str) -> bool:
    """Say whether a source contains a statement verbatim, apart from case and white space."""
    return _squeezed(statement) in _squeezed(source)


def _squeezed(text: str) -> str:
    return "".join(text.casefold().split())
