"""The place of a source that says a statement best, and what differs there (V1-V4)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.facts.comparison.source import ReadSource, most_shared
from domain.facts.differences.sentence import Surroundings, differences, is_denied
from domain.facts.kinds import Difference
from domain.facts.reading.token_alignment import Alignment, align
from domain.facts.reading.tokens import Token, read_tokens

_ALIKE = 0.75  # likeness of a statement to a sentence, for it to be taken from there word by word
_CONTAINED = 0.85  # the same of the share of the statement that a longer sentence has
_ONE_PLACE = 3  # words that may stand in the one place in which a short statement differs
_FEWEST = 2


@dataclass(frozen=True, slots=True)
class Compared:
    """The best place of a source for a statement: `near` if it says nearly the same, and what differs there.

    `section` is the heading that the statement names, if that led there; `in_table` says that the names of a cell did.
    """

    near: bool
    verbatim: bool
    share: float
    likeness: float
    differences: tuple[Difference, ...]
    place: str
    section: str = ""
    in_table: bool = False

    @property
    def clean(self) -> bool:
        """Whether the place says all of the statement."""
        return self.near and not self.differences


def best_place(tokens: Sequence[Token], known: ReadSource, *, whole: bool) -> Compared:
    """The best place among the clauses of the source; among its sentences for a statement of several clauses."""
    nothing = Compared(near=False, verbatim=False, share=0.0, likeness=0.0, differences=(), place="")
    if whole and known.whole != known.sentences:
        wanted = {each.key for each in tokens if each.matters}
        sentences = [known.whole[at] for at in most_shared(wanted, known.whole_by_key)]
        compared = [_against(align(tokens, read_tokens(each)), known, known.place_of(each), each) for each in sentences]
        best = max(compared, key=_goodness, default=nothing)
        if best.near:
            return best
    compared = [_against(alignment, known, at, known.sentences[at]) for alignment, at in _candidates(tokens, known)]
    return max(compared, key=_goodness, default=nothing)


def _goodness(compared: Compared) -> tuple[bool, bool, float]:
    sure = sum(each.sure for each in compared.differences)
    names = sum(each.kind in ("name", "subject") for each in compared.differences)
    return compared.near, compared.clean, compared.share - 0.2 * sure - 0.2 * names - 0.05 * len(compared.differences)


def _against(alignment: Alignment, known: ReadSource, at: int, place: str) -> Compared:
    around = Surroundings(
        context=known.context(at),
        values=known.values(at, {each.key for each in alignment.statement}),
        elsewhere=known.everything,
        initials=known.initials,
    )
    near = _is_near(alignment)
    found = tuple(differences(alignment, around)) if near else ()
    return Compared(
        near, verbatim=False, share=alignment.share, likeness=alignment.likeness, differences=found, place=place
    )


def _is_near(alignment: Alignment) -> bool:
    """Say whether the statement was taken from this sentence: it has all of it but for little, or but for one place."""
    matched = sum(alignment.statement[index].matters for index in alignment.matched)
    if matched >= _FEWEST and (alignment.share >= _CONTAINED or min(alignment.local, alignment.share) >= _ALIKE):
        return True
    lost, left = alignment.unmatched
    one_place = alignment.exchanges <= 1 and (left > 0 or not lost) and not alignment.moved
    return matched >= 1 and (
        (one_place and lost <= min(_ONE_PLACE, matched) and left <= lost + 1) or is_denied(alignment)
    )


def _candidates(tokens: Sequence[Token], known: ReadSource) -> Iterator[tuple[Alignment, int]]:
    """The sentences that share most with the statement, and each with its follower."""
    wanted = {each.key for each in tokens if each.matters}
    for at in most_shared(wanted, known.clauses_by_key):
        yield align(tokens, known.tokens[at]), at
