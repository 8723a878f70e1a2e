"""The second step of questions that describe their subject instead of naming it (S5.1)."""

import re
from collections.abc import Iterable, Sequence

from clients.llm.offline.relevance import Candidate
from domain.documents.graph import entity_key
from domain.entities.names import find_names
from domain.text.words import content_stems, coverage

# "the company that owns …", "the firm which …"; "…을 소유한 회사의 …".
_DESCRIBES = re.compile(
    r"\bthe (?:\w+ ){1,3}(?:that|which|who|whose|where)\b"
    "|[가-힣](?:한|은|는|인|된|던) [가-힣]+(?:의|이|가|은|는|를|을) ",
    re.IGNORECASE,
)
_SAID = 0.6  # share of a word that has to be met, as `coverage` counts it


def second_step(question: str, chosen: Sequence[Candidate], ranked: Iterable[Candidate]) -> list[Candidate]:
    """A sentence of another source that completes the answer, about a name that a chosen sentence introduces.

    Empty unless the question describes something, a sentence of `chosen` names what the question does not, and one of
    `ranked` adds a word of the question about that name which the chosen sentence lacks.
    """
    if not _DESCRIBES.search(question):
        return []
    asked = entity_key(question)
    # The scores of a chosen sentence are others than those of the same sentence here.
    known = {(each.source.number, each.sentence.place.start) for each in chosen}
    candidates = [
        each
        for each in ranked
        if not each.sentence.is_heading and (each.source.number, each.sentence.place.start) not in known
    ]
    for first in chosen:
        rest = [
            stem for stem in dict.fromkeys(content_stems(question)) if coverage([stem], first.sentence.stems) < _SAID
        ]
        names = [key for name in find_names(first.sentence.text) if (key := entity_key(name.text)) not in asked]
        for second in candidates:
            if second.source.number == first.source.number:
                continue
            said = entity_key(second.sentence.text)
            if any(name in said for name in names) and any(
                coverage([stem], second.sentence.stems) >= _SAID for stem in rest
            ):
                return [second]
    return []
