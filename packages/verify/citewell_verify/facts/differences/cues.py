"""Finds cues that a statement adds, omits or exchanges: negation, modality, attribution, quantifiers, bounds (V3)."""

from collections.abc import Collection, Iterator, Sequence

from citewell_verify.facts.kinds import Difference, Kind
from citewell_verify.facts.reading.token_alignment import Alignment, Gap
from citewell_verify.facts.reading.tokens import Token
from citewell_verify.facts.reading.vocabulary import BOUNDS, QUANTIFIERS

_INSERTED = frozenset(
    {"denied", "possible", "planned", "reported", "obliged", "advised", "all", "most", "few", "only", "over", "under"}
)
_OMITTED = frozenset({"denied", "possible", "planned", "reported", "some", "most", "few"})
_KINDS: dict[str, Kind] = {
    "denied": "negation",
    "possible": "modality",
    "planned": "modality",
    "obliged": "modality",
    "advised": "modality",
    "reported": "attribution",
    "over": "number",
    "under": "number",
    "before": "order",
    "after": "order",
}
_ASSERTED = frozenset({"possible", "planned", "obliged", "advised", "reported", "denied"})
_CLOSE = 3  # content tokens between a cue and the words that it governs
_ENABLING = frozenset({"can", "수", "가능"})
"""Words that express permission, as "may" and "해도 된다" do."""
_FRAMES = frozenset({"according", "contends"})
"""Cues that attribute an assertion to somebody: adding such a cue makes a statement weaker, not wrong."""


def cue_differences(gap: Gap, alignment: Alignment) -> Iterator[Difference]:
    stated = [token for token in gap.statement if token.cue]
    known = [token for token in gap.source if token.cue]
    for token in stated:
        counterpart = next((known_cue for known_cue in known if _exclude(token.cue, known_cue.cue)), None)
        if counterpart:
            yield Difference(_kind(token.cue), token.text, counterpart.text)
        elif token.cue in _INSERTED and token.key not in _FRAMES and not _is_ordered(token, alignment):
            yield from _changed(token, alignment.statement, alignment.source, alignment.matched_statement, alignment)
    for token in known:
        if token.cue in _OMITTED and not any(_exclude(token.cue, stated_cue.cue) for stated_cue in stated):
            yield from _changed(token, alignment.source, alignment.statement, alignment.matched_source, alignment)


def _changed(
    cue: Token, own: Sequence[Token], others: Sequence[Token], matched: Collection[int], alignment: Alignment
) -> Iterator[Difference]:
    if not _changes_meaning(cue, others, own, matched, alignment):
        return
    inserted = own is alignment.statement
    sure = alignment.is_close
    if cue.cue == "denied":
        word = _governed_word(cue, own, alignment, inserted=inserted)
        yield Difference("negation", word, word if inserted else None, sure=sure)
    elif inserted:
        yield Difference(_kind(cue.cue), cue.text, None, sure=sure)
    else:
        yield Difference(_kind(cue.cue), _governed_word(cue, own, alignment, inserted=False), cue.text, sure=sure)


def _is_ordered(cue: Token, alignment: Alignment) -> bool:
    """Return whether a sentence is an order, which begins with its verb: "Change the filter every month"."""
    if cue.cue not in ("obliged", "advised") or not alignment.source:
        return False
    at = next(index for index, token in enumerate(alignment.statement) if token is cue)
    governed = next((i for i in range(at + 1, len(alignment.statement)) if alignment.statement[i].is_content), None)
    return (governed, 0) in (*alignment.pairs, *alignment.moved) and alignment.source[0].kind == "word"


def _kind(cue: str) -> Kind:
    return "quantifier" if cue in QUANTIFIERS else _KINDS.get(cue, "wording")


def _exclude(left: str, right: str) -> bool:
    if left == right:
        return False
    both = frozenset({left, right})
    return both <= BOUNDS or both <= QUANTIFIERS or both <= _ASSERTED


def _changes_meaning(
    cue: Token, others: Sequence[Token], own: Sequence[Token], matched: Collection[int], alignment: Alignment
) -> bool:
    """Return whether a cue governs words of both sentences, and nothing offsets it."""
    if cue.cue == "denied":
        odd = sum(token.cue == "denied" for token in own) % 2 != sum(token.cue == "denied" for token in others) % 2
        return odd and _governs(cue, own, matched)
    made_up = any(token.cue == cue.cue or (cue.cue == "possible" and token.key in _ENABLING) for token in others)
    return not made_up and _governs(cue, own, matched)


def _governs(cue: Token, tokens: Sequence[Token], matched: Collection[int]) -> bool:
    """Return whether a cue governs matched words: the next words in its clause, or the words before it."""
    at = next(index for index, token in enumerate(tokens) if token is cue)
    korean = cue.key == cue.cue and cue.text[:1] >= "가"
    opens = not any(token.is_content for token in tokens[:at])
    ahead = [
        i for i in range(at + 1, len(tokens)) if tokens[i].is_content and (opens or tokens[i].clause == cue.clause)
    ][:_CLOSE]
    behind = [i for i in range(at - 1, -1, -1) if tokens[i].is_content and tokens[i].clause == cue.clause][:_CLOSE]
    if cue.key == "according" and not ahead:
        return False
    if cue.cue in ("over", "under"):
        beside = at - 1 if cue.text[:1] >= "가" else at + 1
        return 0 <= beside < len(tokens) and tokens[beside].value is not None and beside in matched
    if cue.text.startswith("없이"):
        return any(index in matched for index in behind[:1])
    near = (behind[:2] or ahead[:1]) if korean and cue.cue not in QUANTIFIERS else (ahead or behind)[:2]
    return any(index in matched for index in near)


def _governed_word(cue: Token, own: Sequence[Token], alignment: Alignment, *, inserted: bool) -> str:
    at = next(index for index, token in enumerate(own) if token is cue)
    pairs = (*alignment.pairs, *alignment.moved)
    stated_at = {index: index for index, _ in pairs} if inserted else {place: index for index, place in pairs}
    ahead, behind = range(at + 1, len(own)), range(at - 1, -1, -1)
    places = (*behind, *ahead) if cue.text[:1] >= "가" else (*ahead, *behind)
    governed = (
        alignment.statement[stated_at[i]].text for i in places if i in stated_at and (own[i].is_content or own[i].cue)
    )
    return next(governed, cue.text)
