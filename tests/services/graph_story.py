"""A question in a workspace with a knowledge graph, built as a worker builds it."""

import asyncio
import uuid
from collections.abc import Sequence
from typing import Any

from citewell_verify.embeddings.wheel import default_embedder
from clients.llm.completions.providers import GroqModel
from clients.llm.gateway import ModelGateway
from config.models import ModelSettings
from config.settings import GraphSettings
from db.queries.documents.graph_jobs import queue_graph
from db.session import transaction
from services.documents.documents import read_document
from services.documents.graph_building import Builder, build_graph
from services.graph.search import plan_graph
from tests.clients.groq_stage import GroqStage
from tests.leases import hold
from tests.services.story import Play, Story, with_offline

QUESTION = "Who leads the company that owns Acme Corp?"
ACME = "Acme Corp makes industrial robots. Acme Corp is owned by Beta AG."
BETA = "Beta AG thanks Maria Keller, its leader. It was founded in 1987 and has its seat in Zurich."
BETA_LED = "Beta AG is led by Maria Keller. It was founded in 1987 and has its seat in Zurich."
FIRMS = "Gamma Ltd,Delta Holding,Epsilon Works,Zeta Foods,Theta Marine,Kappa Steel,Lambda Rail".split(",")
OTHERS = [f"{firm} is a company that leads its market, and the company that owns its brand." for firm in FIRMS]
"""Nearer to the question than its answer: each of them shares more words with it than the second step."""

LEADERS = [f"{firm} is a company that leads its market." for firm in FIRMS]
"""The same for the simulated model, which counts words without regard to their meaning."""


def local_builder(**settings: Any) -> Builder:
    """Reads documents without a model."""
    return Builder(None, default_embedder(), GraphSettings(**settings), {}, asyncio.run)


def groq_builder(stage: GroqStage) -> Builder:
    """Uses the simulated provider, one chunk at a time, so that the calls are predictable."""
    models = ModelSettings(call_timeout_s=10, deadline_s=20, attempts=1, fallbacks={})

    async def gateway(model: GroqModel) -> ModelGateway:
        return ModelGateway(model, models, backoff_s=0.01)

    return Builder(
        stage.run(gateway),
        default_embedder(),
        GraphSettings(),
        models.catalogue,
        lambda coroutine: stage.run(lambda _: coroutine),
        concurrency=1,
    )


def ask_for_graph(story: Story, key: int) -> uuid.UUID:
    """Queue the graph of a chunk's document, as ingestion does when it ends."""
    with transaction() as session:
        queue_graph(session, story.documents[key], story.workspace_id)
    return story.documents[key]


def build(story: Story, key: int, builder: Builder) -> dict[str, Any]:
    """Queue and build the graph of a chunk's document; return what the API shows of it."""
    assert build_graph(ask_for_graph(story, key), builder, hold)
    return read_document(story.documents[key])["graph"]


def two_steps(
    builder: Builder | None,
    beta: str = BETA,
    others: Sequence[str] = OTHERS,
    *,
    play: Play = with_offline,
    **options: Any,
) -> Story:
    """A question that needs two documents of nine; without a `builder` there is no graph."""
    chosen: dict[str, Any] = {"k": 6, "top_k": 3, "graph_mode": "hybrid", **options}
    story = Story(QUESTION, play=play, **chosen)
    for number, text in enumerate([ACME, beta, *others]):
        story.add(f"{number}.md", text)
    if builder is not None:
        assert {build(story, key, builder)["status"] for key in story.documents} == {"ready"}
    return story


def answered(story: Story) -> Story:
    """Plan, retrieve and write."""
    story.run("plan_graph", plan_graph)
    return story.retrieve().write()
