"""Copies of a document share their places in a search (S3.2)."""

from typing import Any

import pytest
from sqlalchemy import insert, select

from citewell_verify.embeddings.wheel import default_embedder
from config.settings import settings
from db.models import Document, DocumentFingerprint, Workspace
from db.queries.access.keys import get_or_add_tenant
from db.session import acting_for, system_transaction, transaction
from domain.documents.text_marks import in_words
from domain.query.options import DocumentFilter
from services.documents.documents import remove_document
from services.queries.passage_search import NewSearch, search_passages
from services.queries.results import read_query
from tests.factories import make_chunk, make_document
from tests.stored import SPAN, TEXT, store_answered_query

pytestmark = pytest.mark.usefixtures("database")

FEE = "The mooring fee of the harbour is 40 crowns."
PIER = "The pier of the harbour has a mooring for nine boats."


def store(number: int, *passages: str, sha256: str, workspace: str = "w", **over: Any) -> Document:
    text = "\n".join(passages)
    with transaction() as session:
        document = make_document(session, text, workspace=workspace, number=number, sha256=sha256, **over)
        for index, passage in enumerate(passages):
            start = text.index(passage)
            make_chunk(session, document, start, start + len(passage), index=index)
        document.chunks_done = len(passages)
    return document


def found(k: int = 5, workspaces: tuple[str, ...] = ("w",), names: list[str] | None = None) -> list[tuple[str, Any]]:
    """(name, names of copies) of what a search finds."""
    wanted = None if names is None else DocumentFilter(filenames=names)
    new = NewSearch("mooring fee of the harbour", workspaces[0], workspaces, k=k, filter=wanted)
    passages = search_passages(new, settings(), default_embedder())["passages"]
    return [(it["document_name"], [copy["document_name"] for copy in it["also_in"]]) for it in passages]


def test_one_passage_stands_for_its_copies_and_names_them() -> None:
    store(1, FEE, sha256="same")
    store(2, FEE, sha256="same")
    store(3, PIER, sha256="different")
    assert found(k=2) == [("a1.txt", ["a2.txt"]), ("a3.txt", [])]


def test_the_other_copy_is_found_at_once_when_one_is_deleted() -> None:
    first = store(1, FEE, sha256="same")
    store(2, FEE, sha256="same")
    remove_document(first.id)
    assert found() == [("a2.txt", [])]


def test_many_copies_leave_room_for_as_many_other_passages_as_are_wanted() -> None:
    for number in range(1, 56):
        store(number, FEE, sha256="same")
    for number in range(60, 63):
        store(number, f"{PIER} It is number {number}.", sha256=f"pier {number}")
    names = [name for name, _ in found(k=4)]
    assert len(names) == 4
    assert {"a60.txt", "a61.txt", "a62.txt"} < set(names)


@pytest.mark.parametrize(("similarity", "places"), [(1.0, 1), (0.95, 2)])
def test_a_near_duplicate_is_a_copy_if_it_is_the_same_as_far_as_is_known(similarity: float, places: int) -> None:
    first, second = store(1, FEE, sha256="docx"), store(2, FEE, sha256="pdf")
    with transaction() as session:
        values = {"document_id": second.id, "minima": b"", "near_duplicate_of": first.id, "similarity": similarity}
        session.execute(insert(DocumentFingerprint).values(values))
    assert len(found()) == places


def test_what_two_documents_merely_have_in_common_keeps_its_places() -> None:
    store(1, FEE, PIER, sha256="one")
    store(2, FEE, sha256="another")
    assert [name for name, _ in found()].count("a2.txt") == 1
    assert all(copies == [] for _, copies in found())


def test_copies_elsewhere_and_versions_that_are_not_in_force_are_not_named() -> None:  # A8
    store(1, FEE, sha256="same")
    store(2, FEE, sha256="same", workspace="secret")
    store(3, FEE, sha256="same", status="superseded")
    with system_transaction() as session:
        stranger = get_or_add_tenant(session, "stranger", "whsec_")
    with acting_for(stranger):
        store(4, FEE, sha256="same")
        assert found() == [("a4.txt", [])]
    assert found() == [("a1.txt", [])]
    assert found(workspaces=("w", "secret")) in ([("a1.txt", ["a2.txt"])], [("a2.txt", ["a1.txt"])])


def test_a_filter_leaves_copies_out_that_it_leaves_out_of_the_search() -> None:
    for number in (1, 2, 3):
        store(number, FEE, sha256="same")
    assert found(names=["a2.txt", "a3.txt"]) == [("a2.txt", ["a3.txt"])]


def test_a_citation_names_the_copies_that_have_its_passage_now() -> None:  # issue 42
    with transaction() as session:
        query = store_answered_query(session)
        cited = session.scalars(select(Document)).one()
        make_chunk(session, cited, 0, len(TEXT), index=0)
        workspace, digest = session.scalars(select(Workspace.name)).one(), cited.sha256
    copy, _ = (store(number, TEXT, sha256=digest, workspace=name) for number, name in ((2, workspace), (3, "secret")))
    (citation,) = read_query(query.id)["citations"]
    assert in_words(citation) == "also in a2.txt"
    remove_document(copy.id)
    (citation,) = read_query(query.id)["citations"]
    assert (citation["also_in"], citation["text_span"]) == ([], SPAN)
