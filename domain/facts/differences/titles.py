"""Titles in brackets, as Korean and Chinese write those of works, laws and papers: 「…」, 『…』, 《…》, 〈…〉 (V2).

Their words are common ones, so that titles of one list look alike; a title counts as one name.
"""

import re
from collections.abc import Iterator

from domain.facts.kinds import Difference

_TITLE = re.compile(r"[「『《〈]([^「『《〈」』》〉\n]{1,80})[」』》〉]")


def title_differences(statement: str, place: str) -> Iterator[Difference]:
    """Yield each title of the `statement` that the `place` does not have, where the place has another title."""
    titles = _TITLE.findall(place)
    words = _joined(place)
    for title in _TITLE.findall(statement) if titles else ():
        if _joined(title) not in words:
            yield Difference("name", title, next((each for each in titles if each not in statement), titles[0]))


def _joined(text: str) -> str:
    return "".join(text.casefold().split())
