"""Compares titles in brackets, the Korean and Chinese form for works, laws and papers: 「…」, 『…』, 《…》, 〈…〉 (V2).

Titles consist of common words, so those of one list look alike; each counts as one name.
"""

import re
from collections.abc import Iterator

from domain.facts.kinds import Difference

_TITLE = re.compile(r"[「『《〈]([^「『《〈」』》〉\n]{1,80})[」』》〉]")


def title_differences(statement: str, place: str) -> Iterator[Difference]:
    """Yield each title of the `statement` that the `place` lacks, if the place has another title."""
    titles = _TITLE.findall(place)
    words = _joined(place)
    for title in _TITLE.findall(statement) if titles else ():
        if _joined(title) not in words:
            yield Difference("name", title, next((each for each in titles if each not in statement), titles[0]))


def _joined(text: str) -> str:
    return "".join(text.casefold().split())
