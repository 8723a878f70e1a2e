"""Decides when to stop writing an ungrounded answer, and what is left of it (N1)."""

import re
from collections.abc import Collection

from domain.answers.statements import statements
from domain.verdicts.states import SentenceStatus

_SAID = {SentenceStatus.SUPPORTED.value, SentenceStatus.PARTIAL.value}
_REFUSED = {SentenceStatus.CONTRADICTED.value, SentenceStatus.UNSUPPORTED.value}
_BARE_SIGN = re.compile(r"\s(?:[-*•>]|#{1,6}|\d{1,3}[.)])\s*\Z")


def is_ungrounded(states: Collection[str], after: int) -> bool:
    """Say whether at least `after` of the checked sentences lack support, and none has any, even in part.

    Unchecked sentences do not count. Never with `after` 0.
    """
    refused = sum(state in _REFUSED for state in states)
    return 0 < after <= refused and not any(state in _SAID for state in states)


def without_unfinished_sentence(text: str) -> str:
    """Return `text` without the sentence that is being written; all of it if there is only one."""
    said = statements(text)
    if len(said) < 2:
        return text.rstrip()
    closed = text[: said[-1].start].rstrip()
    return _BARE_SIGN.sub("", closed)
