"""A question over several workspaces: searched together, and each passage says where it is from."""

from typing import Any

import pytest

from citewell_verify.embeddings.wheel import default_embedder
from config.settings import settings
from db.models import Document
from db.queries.access.workspaces import get_or_add_workspace, get_workspace
from db.queries.documents.spaces import get_or_add_space, switch_space
from db.queries.runs.queries import get_query
from db.session import reading, transaction
from domain.errors.state import EmbeddingsDiffer
from domain.query.options import DocumentFilter, WorkspaceSettings
from services.queries.passage_search import NewSearch, search_passages
from services.queries.results import read_head, read_query
from services.queries.submission import NewQuery, submit_query
from services.retrieval.candidates import Search, search
from tests.factories import make_chunk, make_document
from tests.services.story import Story

pytestmark = pytest.mark.usefixtures("database")

RETURNS = "Returns are accepted within 30 days of the purchase date."
REFUNDS = "Refunds are paid within 14 days to the original card."
PICNIC = "The picnic of the company takes place in June."
QUESTION = "How long are returns accepted, and when are refunds paid?"


def store(workspace: str, text: str, number: int = 0, filename: str = "policy.md") -> int:
    """A document of one passage; the key of that."""
    with transaction() as session:
        document = make_document(session, text, workspace=workspace, filename=filename, number=number)
        vector = default_embedder().encode([text]).tolist()[0]
        return make_chunk(session, document, 0, len(text), embedding=vector).id


def ids(*names: str) -> tuple[int, ...]:
    with transaction() as session:
        return tuple(get_or_add_workspace(session, name).id for name in names)


def found_in(*names: str, method: Any = "hybrid", **more: Any) -> list[int]:
    places = ids(*names)
    where = Search(places[0], method, 10, workspaces=places, **more)
    return [key for key, _ in search([QUESTION], where, default_embedder()).candidates]


@pytest.mark.parametrize("method", ["vector", "hybrid"])
def test_the_best_passages_of_all_come_first_and_others_stay_out(method: str) -> None:
    wanted = [store("a", RETURNS), store("b", REFUNDS)]
    picnic = store("a", PICNIC, number=1, filename="picnic.md")
    other = store("c", RETURNS)
    found = found_in("a", "b", method=method)
    assert set(found[:2]) == set(wanted)
    assert other not in found
    assert found_in("a", method=method) == [wanted[0], picnic]


def test_a_filter_holds_in_every_workspace() -> None:
    store("a", RETURNS)
    kept = store("b", REFUNDS, filename="refunds.md")
    assert found_in("a", "b", filter=DocumentFilter(filenames=["refunds.md"])) == [kept]


def test_one_that_is_empty_or_gone_does_not_matter() -> None:
    key = store("a", RETURNS)
    assert found_in("empty", "a") == [key]
    places = ids("a", "gone")
    with transaction() as session:
        session.delete(get_workspace(session, "gone"))
    where = Search(places[0], "hybrid", 10, workspaces=places)
    assert [each for each, _ in search([QUESTION], where, default_embedder()).candidates] == [key]


def change_model(workspace: str) -> None:
    with transaction() as session:
        switch_space(session, get_workspace(session, workspace).id, get_or_add_space(session, "another", 3))


def test_workspaces_of_different_models_are_refused_when_the_question_is_asked() -> None:
    for name in ("a", "b"):
        store(name, RETURNS)
    change_model("b")
    with pytest.raises(EmbeddingsDiffer, match=r"a those of use-multilingual-v3 \(512\), b those of another \(3\)"):
        submit_query(NewQuery(QUESTION, workspaces=("a", "b")), settings())
    with pytest.raises(EmbeddingsDiffer):
        search_passages(NewSearch(QUESTION, workspaces=("a", "b")), settings(), default_embedder())
    with pytest.raises(EmbeddingsDiffer):
        found_in("a", "b")
    submit_query(NewQuery(QUESTION, workspaces=("b",)), settings())


def test_the_settings_are_those_of_the_first() -> None:
    ids("a", "b")
    with transaction() as session:
        for name, mode in (("a", "high"), ("b", "low")):
            get_workspace(session, name).settings = WorkspaceSettings.model_validate({"mode": mode}).model_dump(
                mode="json"
            )
    query_id = submit_query(NewQuery(QUESTION, workspaces=("b", "a", "b")), settings())
    with reading() as session:
        query = get_query(session, query_id)
        assert (query.mode, query.workspace_id) == ("low", ids("b")[0])
        assert tuple(query.options["workspaces"]) == ids("b", "a")
    assert read_head(query_id)["workspaces"] == ["b", "a"]
    alone = submit_query(NewQuery(QUESTION, workspaces=("a",)), settings())
    assert read_head(alone)["workspaces"] == ["a"]
    with reading() as session:
        assert get_query(session, alone).options["workspaces"] == []


def test_sources_and_citations_say_which_workspace_they_are_from() -> None:
    story = Story(QUESTION)
    own, other = story.workspace, "elsewhere"
    story.add("policy.md", RETURNS)
    store(other, REFUNDS)
    story.options = story.options.model_copy(update={"workspaces": (story.workspace_id, *ids(other))})
    story.retrieve().write().check().repair().finish()
    query = read_query(story.query_id)
    assert {source["workspace"] for source in query["sources"]} == {own, other}
    cited = {citation["document_id"]: citation["workspace"] for citation in query["citations"]}
    assert cited
    with transaction() as session:
        for document_id, name in cited.items():
            document = session.get_one(Document, document_id)
            assert document.workspace_id == get_workspace(session, name).id
            session.delete(document)
    assert {each["workspace"] for each in read_query(story.query_id)["citations"]} == {None}
