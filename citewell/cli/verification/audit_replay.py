"""The work of `citewell audit replay`, in the database and without the API: contacts no model and stores nothing."""

import asyncio
import uuid

from citewell.cli.console import emit, out, plain
from citewell.cli.database import database
from citewell.cli.errors import FAILED, CommandFailed
from citewell.cli.short_ids import is_whole, only_one
from citewell.cli.show.words import counted
from citewell_verify.embeddings.wheel import default_embedder
from config.settings import settings
from db.queries.runs.queries import get_query, ids_beginning
from db.session import acting_for, system_transaction
from services.audit.replay import ReplayResult, replay_answer
from services.core.verifier import calibration_of

_WHAT = "question"


def replay(query_id: str, as_json: bool) -> None:
    with database():
        result = _replayed(uuid.UUID(_whole(query_id)))
    if as_json:
        emit(
            {
                "equal": not result.differences,
                "differences": [difference._asdict() for difference in result.differences],
            }
        )
    else:
        for difference in result.differences:
            out.print(plain(f"{difference.where}: {difference.recorded!r} → {difference.replayed!r}"))
        summary = f"{counted(result.replayed, 'outcome')} replayed, {result.from_record} taken from the record"
        out.print(plain(f"equal: {summary}" if not result.differences else summary, "dim"))
    if result.differences:
        raise CommandFailed(f"{counted(len(result.differences), 'field')} came out otherwise", FAILED)


def _whole(text: str) -> str:
    if is_whole(text, _WHAT):
        return text
    with system_transaction() as session:
        return only_one(text, [str(id_) for id_ in ids_beginning(session, text.lower())], _WHAT)


def _replayed(query_id: uuid.UUID) -> ReplayResult:
    with system_transaction() as session:
        query = get_query(session, query_id)
        tenant, provider = query.tenant_id, query.provider
    with acting_for(tenant):
        return asyncio.run(
            replay_answer(query_id, settings(), default_embedder(), calibration_of(settings(), provider))
        )
