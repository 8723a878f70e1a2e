"""The judge of rules: gives the judgements of a verification by computation; free, deterministic, without a network."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TypeVar, cast

from citewell_verify.correction.corrected_answer import source_wording
from citewell_verify.embeddings.protocol import Encoder
from citewell_verify.judging.statement import Failure, NotJudged
from citewell_verify.offline.judging import check_alignment, check_answerability, check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.batched_items import Statements, items_of
from citewell_verify.prompting.judgements import ItemCheck, Judgement, Reply, Rewritten, StatementChecks
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.prompting.prompts import render

_R = TypeVar("_R", bound=Reply)
Fields = Mapping[str, object]
"""The fields of a prompt by name."""


class OfflineJudge:
    """A `JudgeModel` of rules.

    Without an embedder it uses words alone, which is a little worse. Several threads and event loops may use one
    instance; the work runs in a thread, so that no loop is blocked.
    """

    judges_offline = True

    def __init__(self, embedder: Encoder | None = None) -> None:
        self.meaning = Meaning(embedder)
        self.judgements: Mapping[str, Callable[[Fields], Reply]] = {
            "check_alignment": self._check_alignment,
            "check_answerability": self._check_answerability,
            "check_statement": self._check_statement,
            "check_statements": self._check_statements,
            "rewrite_statement": rewrite_statement,
        }
        """The functions that judge, by the name of the prompt. They raise NotJudged."""

    async def ask(self, judgement: Judgement[_R], fields: Fields, *, item: str = "") -> _R | Failure:
        """Return the judgement; Failure for a text in a language that the rules do not read."""
        del item  # Nothing is recorded.
        render(judgement.name, fields)  # The fields keep the same contract as for a model that reads the text.
        try:
            return cast("_R", await asyncio.to_thread(self.judgements[judgement.name], fields))
        except NotJudged as error:
            return Failure(str(error), "refused")

    def _check_alignment(self, fields: Fields) -> Reply:
        return check_alignment(text_of(fields, "question"), text_of(fields, "answer"), sources_of(fields), self.meaning)

    def _check_answerability(self, fields: Fields) -> Reply:
        question, answer = text_of(fields, "question"), text_of(fields, "answer")
        return check_answerability(question, answer, sources_of(fields), self.meaning)

    def _check_statement(self, fields: Fields) -> Reply:
        return check_statement(text_of(fields, "statement"), sources_of(fields), self.meaning)

    def _check_statements(self, fields: Fields) -> Reply:
        by_number = {source.number: source for source in sources_of(fields)}
        checks = (
            (item.id, check_statement(item.text, Sources(by_number[number] for number in item.sources), self.meaning))
            for item in items_of(fields, "statements", Statements)
        )
        return StatementChecks(verdicts=[ItemCheck(id=item_id, verdict=verdict) for item_id, verdict in checks])


def rewrite_statement(fields: Fields) -> Rewritten:
    """N5, V6: the sentence of a source from which the statement differs in only one place; empty if there is none."""
    for source in sources_of(fields):
        if text := source_wording(text_of(fields, "statement"), source.text, source.context):
            return Rewritten(text=text, source=source.number)
    return Rewritten(text="", source=0)


def text_of(fields: Fields, name: str) -> str:
    return str(fields[name])


def sources_of(fields: Fields) -> Sources:
    """The sources in the fields. Raises TypeError for anything but Sources, such as a text."""
    sources = fields["sources"]
    if not isinstance(sources, Sources):
        raise TypeError("the offline judge reads its sources from a Sources object")
    return sources
