"""The second step of questions that describe their subject instead of naming it (S5.1)."""

import re
from collections.abc import Iterable, Iterator

from citewell_verify.entities.names import find_names
from citewell_verify.question.units import Unit
from citewell_verify.text.words import content_stems, coverage
from domain.documents.graph import entity_key

# "the company that owns …", "the firm which …"; "…을 소유한 회사의 …".
_DESCRIBES = re.compile(
    r"\bthe (?:\w+ ){1,3}(?:that|which|who|whose|where)\b"
    "|[가-힣](?:한|은|는|인|된|던) [가-힣]+(?:의|이|가|은|는|를|을) ",
    re.IGNORECASE,
)
_SAID = 0.6  # share of a word that has to be met, as `coverage` counts it


def second_step(question: str, first: Unit, others: Iterable[Unit]) -> Unit | None:
    """Return the one of `others`, units of other sources, that completes the answer about a name that `first`
    introduces.

    None unless the question describes something, `first` names what the question does not, and the other unit has a
    word of the question about that name which `first` lacks.
    """
    if not _DESCRIBES.search(question):
        return None
    return next(_completing(question, first, others), None)


def _completing(question: str, first: Unit, others: Iterable[Unit]) -> Iterator[Unit]:
    asked = entity_key(question)
    names = [key for name in find_names(first.text) if (key := entity_key(name.text)) not in asked]
    open_words = [stem for stem in content_stems(question) if first.read.related_stems.similarity(stem) < _SAID]
    for unit in others:
        said = entity_key(unit.text)
        stems = unit.read.related_stems.stems
        if any(name in said for name in names) and any(coverage([stem], stems) >= _SAID for stem in open_words):
            yield unit
