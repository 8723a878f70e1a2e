"""One statement against the sources that it cites (S5.4)."""

from clients.llm.gateway import Failure, ModelGateway
from clients.llm.protocol import CallLog
from domain.judgements import CHECK_STATEMENT
from domain.outcomes import Checked
from domain.sources import Sources


async def judge_statement(
    models: ModelGateway, statement: str, sources: Sources, *, log: CallLog, item: str = ""
) -> Checked:
    """Return the model's verdict, or `not_checked` with the reason."""
    reply = await models.ask(CHECK_STATEMENT, {"sources": sources, "statement": statement}, log=log, item=item)
    if isinstance(reply, Failure):
        return Checked(status="not_checked", verdict=None, reason=reply.reason)
    return Checked(status="checked", verdict=reply.model_dump())
