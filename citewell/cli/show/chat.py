"""Terminal views of a conversation: short, because `citewell history` shows the rest."""

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from citewell.cli.console import plain
from citewell.cli.show.words import place
from citewell_client.types import Query, Turn
from domain.query.modes import is_korean
from domain.verdicts.summary_line import verification_line


def below_answer(query: Query) -> RenderableType:
    """How the question was understood, the references of its answer, and how it was verified."""
    parts: list[RenderableType] = []
    if query["abstained"]:
        parts.append(Text.assemble(("Why: ", "yellow"), plain(query["abstain_reason"] or "no reason was stored")))
        parts += [
            plain(f"“{each['quote']}”  ", "dim") + place(each["document"], each["page"], None)
            for each in query["mentions"]
        ]
    else:
        parts += [plain(reference) for reference in query["references"]]
        parts.append(plain(_verified(query), "dim"))
    if restated := query["restated_question"]:
        parts.append(plain(f"Understood as: {restated}", "dim"))
    return Group(*parts, Text())


def history_view(turns: list[Turn]) -> RenderableType:
    """All questions of a conversation with their answers."""
    parts: list[RenderableType] = []
    for turn in turns:
        parts.append(plain(f"{turn['position']}. {turn['question']}", "bold"))
        said = turn["answer"] or (turn["error"]["message"] if turn["error"] else turn["status"])
        parts.append(Padding(plain(said), (0, 0, 0, 3)))
    return Group(*parts, Text())


def _verified(query: Query) -> str:
    found = query["verification"]
    states = [sentence["status"] for sentence in found["sentences"]] if found else None
    asked = query["restated_question"] or query["question"]
    return verification_line(states, len(query["removed_citations"]), korean=is_korean(asked))
