"""How long a statement may be to be held against its sources fact by fact.

A sentence of an answer has some hundred characters. What has thousands is a list that nobody punctuated or is meant to
keep the judge busy; that all of it is true cannot be said with care, so it is not said, unless it stands in a source
word for word.
"""

from domain.sentences import LONGEST_SENTENCE

LONGEST_STATEMENT = LONGEST_SENTENCE

TOO_LONG = (
    f"a statement of more than {LONGEST_STATEMENT:,} characters is not read fact by fact: make shorter ones of it"
)


def is_too_long(statement: str) -> bool:
    """Say whether a statement is too long to be read fact by fact."""
    return len(statement) > LONGEST_STATEMENT


def stands_in(statement: str, source: str) -> bool:
    """Say whether a source has a statement word for word; case and white space do not count."""
    return _squeezed(statement) in _squeezed(source)


def _squeezed(text: str) -> str:
    return "".join(text.casefold().split())
