"""The passages that the steps of a message share."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest
from sqlalchemy import delete
from sqlalchemy.orm import Session

from citewell_verify.evidence.passages import Passage
from db.models import Chunk
from db.queries.documents.chunks import get_passages
from db.session import transaction
from services.core.context import PassageCache
from tests.factories import make_chunk, make_document

pytestmark = pytest.mark.usefixtures("database")

TEXT = "Tokens are valid for one hour."


def test_what_several_steps_want_at_once_is_loaded_once_and_the_rest_when_it_is_wanted() -> None:
    with transaction() as session:
        document = make_document(session, TEXT)
        keys = [make_chunk(session, document, 0, len(TEXT)).id, make_chunk(session, document, 0, 6, index=1).id]
    loaded: list[list[int]] = []

    def load(session: Session, wanted: list[int]) -> list[Passage]:
        loaded.append(wanted)
        return get_passages(session, wanted)

    library = PassageCache()
    with ThreadPoolExecutor() as threads:
        wanting = [threads.submit(copy_context().run, library.passages, keys[:1], load) for _ in range(4)]
        assert [[passage.key for passage in each.result()] for each in wanting] == [keys[:1]] * 4
    assert [passage.key for passage in library.passages(keys[::-1], load)] == keys[::-1]
    assert loaded == [keys[:1], keys[1:]]


def test_what_is_gone_is_left_out() -> None:
    with transaction() as session:
        key = make_chunk(session, make_document(session, TEXT), 0, len(TEXT)).id
    with transaction() as session:
        session.execute(delete(Chunk).where(Chunk.id == key))
    assert PassageCache().passages([key], get_passages) == []
