"""Extracts entities and relations from one passage, with the fast model or without one (S5.1)."""

import asyncio
from dataclasses import dataclass

from citewell_verify.evidence.passages import Passage
from citewell_verify.judging.statement import Failure
from citewell_verify.prompting.judgements import EXTRACT_GRAPH
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog, Terms
from domain.documents.graph import PassageGraph, grounded
from domain.documents.graph_extraction import read_graph

NOTHING = PassageGraph((), ())

# Failures that say nothing about the passage: a later attempt may succeed.
_PASSING = frozenset({"unavailable", "rate_limited", "deadline", "gone"})


@dataclass(frozen=True, slots=True)
class Extraction:
    """`error`: the passage could not be read; `passing`: for a reason that says nothing about the passage."""

    graph: PassageGraph
    log: CallLog
    error: str | None = None
    passing: bool = False


async def extract(passage: Passage, models: ModelGateway | None) -> Extraction:
    """Read one passage; without `models` by its names and sentences alone. Entities and relations that the passage does
    not contain are dropped."""
    # No person waits for a graph.
    log, text = CallLog(terms=Terms(is_batch=True)), passage.readable
    if models is None:
        return Extraction(await asyncio.to_thread(lambda: grounded(read_graph(text), text)), log)
    reply = await models.ask(EXTRACT_GRAPH, {"chunk": text}, log=log, item=str(passage.key))
    if isinstance(reply, Failure):
        return Extraction(NOTHING, log, reply.reason, reply.kind in _PASSING)
    return Extraction(await asyncio.to_thread(grounded, reply, text), log)
