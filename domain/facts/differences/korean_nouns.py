"""Finds the noun that a Korean sentence has in the place of another one of the statement (V2).

Particles mark the place, in whatever order the words stand: 1904년에 펠텐은 발견했다 says nothing of 아렌스는 1904년에
발견했다, and 그라츠에서 태어났다 nothing of 취리히에서 태어났다.
"""

from collections.abc import Collection, Iterator

from domain.facts.kinds import Difference
from domain.facts.reading.korean import GENERIC
from domain.facts.reading.token_alignment import Alignment
from domain.facts.reading.tokens import Token

_ACTING = ("subject", "topic")
_NOUNS = ("name", "word")


def other_nouns(alignment: Alignment, source_keys: Collection[str]) -> Iterator[Difference]:
    """Yield the one noun of the statement that the sentence lacks, and has another one for with the same particle.

    Only a noun of the source counts: another word may mean the same.
    """
    places = [at for at, each in enumerate(alignment.statement) if each.is_content]
    lost = [at for at in places if at not in alignment.matched_statement]
    if len(lost) != 1 or len(places) < 3:
        return
    mine = alignment.statement[lost[0]]
    if mine.kind not in _NOUNS or not mine.case or mine.key not in source_keys:
        return
    if (other := _in_same_place(mine, alignment)) is not None:
        yield Difference("subject" if mine.case in _ACTING else "wording", mine.text, other.text)


def _in_same_place(noun: Token, alignment: Alignment) -> Token | None:
    verb = max(alignment.matched_source, default=None)
    if verb is None:
        return None
    clause = alignment.source[verb].clause
    free = (each for at, each in enumerate(alignment.source) if at not in alignment.matched_source)
    nouns = (each for each in free if each.clause == clause and each.kind in _NOUNS and each.key not in GENERIC)
    return next((each for each in nouns if (_role(each), _particle(each)) == (_role(noun), _particle(noun))), None)


def _role(token: Token) -> str:
    return "subject" if token.case in _ACTING else token.case


def _particle(token: Token) -> str:
    return token.text.removeprefix(token.key) if token.case in ("goal", "source") else ""
