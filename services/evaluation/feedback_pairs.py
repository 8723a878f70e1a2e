"""Makes labelled data from people's verdicts: the statement, the sources that it cites, and whether they support it."""

import hashlib
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from db.models import QueryKind
from db.queries.verifications.feedback import list_judged
from db.session import reading
from services.evaluation.labelled_data import EvaluationDataInvalid, LabelledPair, LabelledPairs, spread
from services.external.verification_results import read_source_text, read_verification
from services.queries.results import read_query

DATASET = "feedback"
# A judge does not read a whole book: from a long given text it gets this many characters around the cited words.
_AROUND_CHARS = 2_000

Json = Mapping[str, Any]
Place = tuple[str, int]
"""(`sentence` or `citation`, position in the result)."""
Said = tuple[str, str]
"""(claim, source)."""


def feedback_pairs(workspace: str | None = None, limit: int | None = None) -> LabelledPairs:
    """Return the labelled pairs of the current tenant, of at most one workspace; the newest verdict on a place counts.

    A verdict on a whole answer counts for its sentences when it says that all of them are supported, or when there is
    only one. A sentence without a citation has no source to be judged with. Raises EvaluationDataInvalid when nothing
    is left.
    """
    with reading() as session:
        judged = [
            (row.query_id, kind, row.place, row.position, row.verdict) for row, kind in list_judged(session, workspace)
        ]
    labels: dict[tuple[uuid.UUID, QueryKind], dict[Place | None, int]] = {}
    for query_id, kind, place, position, verdict in judged:
        at = None if position is None else (place, position)
        labels.setdefault((query_id, kind), {})[at] = int(verdict == "supported")
    pairs = [pair for (query_id, kind), verdicts in labels.items() for pair in _pairs(query_id, kind, verdicts)]
    if not pairs:
        raise EvaluationDataInvalid(
            "No feedback has a verdict on something that cites a source; "
            "`citewell feedback give ID --sentence N --verdict supported` makes some."
        )
    digest = hashlib.sha256(json.dumps([asdict(pair) for pair in pairs]).encode()).hexdigest()
    return LabelledPairs({DATASET: spread(pairs, limit)}, [{"name": DATASET, "sha256": digest}])


def _pairs(query_id: uuid.UUID, kind: QueryKind, labels: Mapping[Place | None, int]) -> Iterator[LabelledPair]:
    said = _said_in_verification(query_id) if kind is QueryKind.VERIFICATION else _said_in_answer(query_id)
    whole = labels.get(None)
    for place, (claim, source) in said.items():
        label = labels.get(place)
        # A label of the whole answer is one of its sentence only if the answer has no other sentence.
        is_judged_itself = place[0] == "only" and ("sentence", 0) in labels
        if label is None and place[0] == ("sentence" if whole else "only") and not is_judged_itself:
            label = whole
        if label is not None:
            yield LabelledPair(DATASET, source, claim, label)


def _said_in_answer(query_id: uuid.UUID) -> dict[Place, Said]:
    query = read_query(query_id, to_reviewer=True)
    passages = {source["chunk_id"]: source["text"] for source in query["sources"]}
    # A repair may have cited another passage; then only the cited words of it are known.
    cited = [(citation, passages.get(citation["chunk_id"], citation["text_span"])) for citation in query["citations"]]
    sentences: Sequence[Json] = query["verification"]["sentences"] if query["verification"] else ()
    said: dict[Place, Said] = {
        ("citation", position): (citation["claim_text"], text) for position, (citation, text) in enumerate(cited)
    }
    for position, sentence in enumerate(sentences):
        texts = [
            text
            for citation, text in cited
            if citation["answer_start"] < sentence["end"] and sentence["start"] < citation["answer_end"]
        ]
        if texts:
            said["sentence", position] = sentence["text"], _joined(texts)
    return _with_only(said, sentences)


def _said_in_verification(query_id: uuid.UUID) -> dict[Place, Said]:
    result = read_verification(query_id)
    sentences: Sequence[Json] = result["sentences"]
    said: dict[Place, Said] = {}
    cited: list[tuple[Json, str]] = []
    for position, citation in enumerate(result["citations"]):
        if citation["number"] is None or citation["source"] is None:
            continue
        start: int = citation["source_start"] or 0
        end: int = citation["source_end"] or start
        source = read_source_text(query_id, citation["number"])
        text = source[max(0, start - _AROUND_CHARS) : end + _AROUND_CHARS]
        cited.append((citation, text))
        if citation["statement"]:
            said["citation", position] = citation["statement"], text
    for position, sentence in enumerate(sentences):
        texts = [text for citation, text in cited if citation["sentence_start"] == sentence["start"]]
        if texts:
            said["sentence", position] = sentence["text"], _joined(texts)
    return _with_only(said, sentences)


def _with_only(said: dict[Place, Said], sentences: Sequence[Json]) -> dict[Place, Said]:
    """Return `said` with the only sentence of an answer added as (`only`, 0), if the answer has just one."""
    only = said.get(("sentence", 0)) if len(sentences) == 1 else None
    return {**said, ("only", 0): only} if only else said


def _joined(sources: Iterable[str]) -> str:
    return "\n\n".join(dict.fromkeys(sources))
