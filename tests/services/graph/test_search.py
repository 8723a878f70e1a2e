"""Questions that need two documents, of which only the first shares their words (S5.1)."""

from typing import Any

import pytest
from sqlalchemy import update

from citewell_verify.answers.refusals import IDK
from db.models import Document, Entity
from db.queries.documents.chunk_edits import Edit
from db.session import transaction
from services.documents.chunks import set_excluded
from services.graph.search import NO_GRAPH, NOTHING_NEAR, plan_graph
from services.retrieval.candidates import retrieve
from tests.clients.groq_stage import GroqStage
from tests.services.graph_story import (
    ACME,
    BETA_LED,
    LEADERS,
    OTHERS,
    QUESTION,
    answered,
    build,
    groq_builder,
    local_builder,
    two_steps,
)
from tests.services.story import Story, with_groq
from tests.simulators.groq.faults import Fault, FaultKind

pytestmark = pytest.mark.usefixtures("database")

KOREAN = "한빛전자를 소유한 회사의 대표는 누구입니까?"


def sources(story: Story) -> list[str]:
    return [story.texts[key] for key in story.outcome("select")["selected"]]


def again(story: Story, **options: Any) -> Story:
    """The same question to the same documents, with other options."""
    other = Story(QUESTION, play=story.play, **options)
    other.workspace_id, other.texts, other.documents = story.workspace_id, story.texts, story.documents
    other.options = story.options.model_copy(update=options)
    return other


def test_hybrid_answers_a_question_of_two_steps_that_naive_does_not(stage: GroqStage) -> None:  # S5.1
    story = answered(two_steps(groq_builder(stage), BETA_LED, LEADERS, play=with_groq(stage)))
    assert sources(story)[:2] == [ACME, BETA_LED]
    answer = "Acme Corp is owned by Beta AG[†1]. Beta AG is led by Maria Keller[†2]."
    assert story.outcome("generate")["text"] == answer
    story.check().assess()
    done = story.conclude()
    cited = [(each["number"], each["chunk_id"], each["document_name"], each["status"]) for each in done["citations"]]
    assert cited == [(1, "doc_0::chunk_0", "0.md", "accurate"), (2, "doc_1::chunk_0", "1.md", "accurate")]
    assert [each["text_span"] for each in done["citations"]] == [ACME[35:], BETA_LED[:31]]
    naive = answered(again(story, graph_mode="naive"))
    assert BETA_LED not in sources(naive)
    assert naive.outcome("generate")["text"] == IDK


def test_the_same_without_any_model() -> None:  # S5.1
    story = answered(two_steps(local_builder()))
    assert "Beta AG thanks Maria Keller, its leader. [†2]" in story.outcome("generate")["text"]
    naive = answered(again(story, graph_mode="naive"))
    assert "Keller" not in "".join(sources(naive))
    assert "Keller" not in naive.outcome("generate")["text"]


def test_an_excluded_passage_is_found_in_no_mode_and_leads_nowhere() -> None:  # S5.1
    story = two_steps(local_builder())
    acme, beta, *_ = story.texts
    for left_out in (beta, acme):
        set_excluded(story.documents[left_out], 0, Edit(), excluded=True)
        for mode in ("naive", "local", "global", "hybrid", "mix"):
            other = again(story, graph_mode=mode, k=20)
            other.run("plan_graph", plan_graph)
            found = other.run("retrieve", retrieve)
            assert left_out not in [key for key, _ in found["candidates"]]
            links = found.get("links", {})
            assert str(left_out) not in links
            assert left_out not in [link["bridge"] for link in links.values()]
        set_excluded(story.documents[left_out], 0, Edit(), excluded=False)
    last = again(story, graph_mode="mix", k=20)
    last.run("plan_graph", plan_graph)
    assert {acme, beta} <= {key for key, _ in last.run("retrieve", retrieve)["candidates"]}


@pytest.mark.parametrize(("mode", "without"), [("local", 0), ("global", 0), ("hybrid", 2), ("mix", 3)])
def test_each_mode_finds_the_second_step_and_says_how(mode: str, without: int) -> None:  # S5.1
    story = two_steps(local_builder(), graph_mode=mode)
    acme, beta, *_ = story.texts
    story.run("plan_graph", plan_graph)
    found = story.run("retrieve", retrieve)
    keys = [key for key, _ in found["candidates"]]
    assert keys[:2] == [acme, beta]
    assert sum(story.texts[key] in OTHERS for key in keys) >= without
    link = {"bridge": acme, "connection": "Acme Corp is owned by Beta AG.", "names": ["Acme Corp", "Beta AG"]}
    assert found["links"][str(beta)] == link


def test_korean_documents_have_a_graph_too() -> None:  # S5.1
    story = Story(KOREAN, graph_mode="local", k=3)
    keys = [
        story.add("a.md", "한빛전자는 로봇을 만든다. 한빛전자는 세종물산이 소유하고 있다."),
        story.add("b.md", "세종물산은 1987년에 세워졌다. 세종물산에는 김민수 대표가 있다."),
    ]
    for key in keys:
        build(story, key, local_builder())
    story.run("plan_graph", plan_graph)
    assert [key for key, _ in story.run("retrieve", retrieve)["candidates"]] == keys


def test_without_a_graph_it_is_said_and_searched_without_one() -> None:  # S5.1
    story = answered(two_steps(None))
    assert story.outcome("plan_graph")["status"] == "empty"
    assert story.asked().count("extract_keywords") == 0
    naive = again(story, graph_mode="naive").retrieve()
    assert story.outcome("retrieve")["candidates"] == naive.outcome("retrieve")["candidates"]
    assert NO_GRAPH in story.outcome("select")["issues"]
    assert NO_GRAPH not in naive.outcome("select")["issues"]


def test_a_question_about_nothing_in_the_graph_is_searched_without_it() -> None:  # S5.1
    story = two_steps(local_builder(), graph_mode="local")
    story.question = "xyzzy?"
    story.run("plan_graph", plan_graph)
    assert story.run("retrieve", retrieve)["issues"] == [NOTHING_NEAR]
    assert story.outcome("retrieve")["candidates"]


def test_when_the_model_gives_no_keywords_the_questions_own_words_do(stage: GroqStage) -> None:  # S5.1, N4
    story = two_steps(local_builder(), play=with_groq(stage))
    stage.sim.fail(Fault(kind=FaultKind.FORBIDDEN, match="\nextract_keywords\n"))
    planned = story.run("plan_graph", plan_graph)
    assert (planned["status"], planned["low_level"][0]) == ("fallback", "Acme Corp")
    assert "gave no usable reply" in planned["reason"]
    _, beta, *_ = story.texts
    assert str(beta) in story.run("retrieve", retrieve)["links"]


def test_a_corrective_round_follows_the_graph_from_its_own_searches() -> None:  # S2.3, S5.1
    story = two_steps(local_builder(), graph_mode="local")
    acme, beta, *others = story.texts
    story.run("plan_graph", plan_graph)
    story.run("retrieve", retrieve)
    story.selected(others[0])
    story.next_round().set("plan_queries", {"status": "planned", "queries": ["owner of Acme Corp"]})
    found = story.run("retrieve", retrieve)
    assert [key for key, _ in found["candidates"]] == [others[0], acme, beta]


@pytest.mark.parametrize("status", ["processing", "superseded"])
def test_a_document_that_is_not_ready_is_not_found_over_the_graph(status: str) -> None:  # S5.1
    story = two_steps(local_builder(), graph_mode="local")
    acme = next(iter(story.texts))
    with transaction() as session:
        changed = update(Document).where(Document.id == story.documents[acme])
        session.execute(changed.values(status=status))
    story.run("plan_graph", plan_graph)
    keys = {key for key, _ in story.run("retrieve", retrieve)["candidates"]}
    assert acme not in keys
    assert "links" not in story.outcome("retrieve")


def test_vectors_of_another_model_are_not_compared() -> None:  # S5.1
    story = two_steps(local_builder(), graph_mode="global")
    with transaction() as session:
        session.execute(update(Entity).values(embedding=[1.0, 0.0], embedding_model="other"))
    story.run("plan_graph", plan_graph)
    assert story.run("retrieve", retrieve)["links"]


def test_another_workspace_is_another_graph() -> None:  # S5.1, S2.5
    two_steps(local_builder())
    stranger = Story(QUESTION, graph_mode="hybrid")
    stranger.add("x.md", OTHERS[0])
    assert stranger.run("plan_graph", plan_graph)["status"] == "empty"


def test_a_connection_that_says_it_all_makes_no_evidence_of_what_hangs_on_it() -> None:  # S3.5, S5.1
    """The garden is close to Zoë Müller in the graph, and says nothing about where and when she was born."""
    told = ("Zoë Müller was born in the city of Graz in the year 1980.", "The garden of Zoë Müller has tulips.")
    others = ("Graz sells many bicycles to Peter Huber.", "A dog barked at Zoë Müller near Linz.")
    options: dict[str, Any] = {"k": 6, "top_k": 3, "graph_mode": "mix"}
    story = Story("In which city and in which year was Zoë Müller born?", mode="high", **options)
    for number, text in enumerate((*told, *others)):
        story.add(f"{number}.md", text)
    for key in story.documents:
        build(story, key, local_builder())
    story.run("plan_graph", plan_graph)
    selected = story.retrieve().outcome("select")
    assert story.outcome("retrieve")["links"]
    assert (selected["status"], selected["reason"]) == (
        "refused",
        "Only 1 relevant passage found; mode high asks for 3.",
    )
