"""Plans what to look for in the graph: the names and topics of a question (S5.1)."""

import asyncio

from citewell_verify.judging.statement import Failure
from citewell_verify.prompting.judgements import EXTRACT_KEYWORDS, Keywords
from db.queries.search.graph_search import has_graph
from db.session import reading
from domain.documents.graph_extraction import read_keywords
from domain.query.outcomes import GraphPlanned
from services.core.context import StepContext, StepResult

NO_GRAPH = "The workspace has no knowledge graph yet; passages were found by the words and meaning of the question."

_MOST_LOW_LEVEL = 8
_MOST_HIGH_LEVEL = 6
_LONGEST = 200


async def plan_graph(context: StepContext) -> StepResult:
    if not await asyncio.to_thread(_has_graph, context.query.workspace_id):
        return StepResult.single(GraphPlanned(status="empty", low_level=[], high_level=[], reason=NO_GRAPH))
    question = context.question
    reply = await context.tools.models.ask(EXTRACT_KEYWORDS, {"question": question}, log=context.log)
    if isinstance(reply, Failure):
        return StepResult.single({**_planned("fallback", read_keywords(question)), "reason": reply.reason})
    planned = _planned("planned", reply)
    if planned["low_level"] or planned["high_level"]:
        return StepResult.single(planned)
    reason = "the model gave no keywords"
    return StepResult.single({**_planned("fallback", read_keywords(question)), "reason": reason})


def _planned(status: str, keywords: Keywords) -> GraphPlanned:
    low, high = _usable(keywords.low_level, _MOST_LOW_LEVEL), _usable(keywords.high_level, _MOST_HIGH_LEVEL)
    return GraphPlanned(status="planned" if status == "planned" else "fallback", low_level=low, high_level=high)


def _usable(texts: list[str], most: int) -> list[str]:
    plain = (" ".join(text.replace("\x00", "").split())[:_LONGEST] for text in texts)
    return list(dict.fromkeys(text for text in plain if any(map(str.isalnum, text))))[:most]


def _has_graph(workspace_id: int) -> bool:
    with reading() as session:
        return has_graph(session, workspace_id)
