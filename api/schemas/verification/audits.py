"""Audits on the wire: the chain of a query, the result of checking it, and a request to verify an answer again (N6)."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, JsonValue

from api.schemas.questions.answers import AuditHead
from api.schemas.questions.evidence import Score
from api.schemas.texts import Input, PlainText
from domain.query.options import Preset
from services.external.request import Check

Head = Annotated[str, Field(pattern="^[0-9a-f]{64}$", examples=["9f86d081884c7d65…"])]


class AuditRecord(BaseModel):
    """A record and its hash: SHA-256 of the hash before it (hexadecimal) followed by the record's canonical JSON."""

    record: dict[str, JsonValue] = Field(
        description="`kind` says what of; names that end in `sha256` are hashes of what is stored elsewhere."
    )
    hash: str


class AuditRead(AuditHead):
    """The audit of a query: a page of its chain."""

    query: UUID
    format: int
    chain: list[AuditRecord]
    next_after: int | None = Field(description="`after` of the next page; null at the end.")


class AuditDifference(BaseModel):
    """A record that has changed."""

    seq: int | None = Field(description="Its place in the chain; null for what is not in it.")
    kind: str
    what: Literal["broken", "changed", "missing", "added"] = Field(
        description="`broken`: the chain itself does not fit; the others: what is stored does not fit the chain."
    )
    record: dict[str, JsonValue]
    fields: list[str] = Field(description="What of the record differs.")


class AuditChecked(AuditHead):
    """Every hash, recomputed from what is stored."""

    query: UUID
    format: int
    intact: bool = Field(description="Whether nothing was changed since the end of the query.")
    differences: list[AuditDifference]
    erased: int = Field(description="Contents that were erased as they may be: of these only the hashes are left.")
    later: int = Field(description="Model calls and outcomes that were under way at the end and stored after it.")
    unknown_prompts: int = Field(description="Prompts of which this server has another version.")


class ReverifyCreate(Input):
    """How to verify the stored answer again; omitted settings are as configured now."""

    model: str | None = Field(default=None, max_length=200, description="The model that judges, a configured one.")
    preset: Preset | None = None
    citation_confidence: Score | None = Field(default=None, ge=0, le=1, description="From where on a verdict counts.")
    checks: list[Check] | None = Field(default=None, min_length=1, description="Only these; all of them by default.")
    callback_url: Annotated[PlainText, Field(max_length=2048)] | None = Field(
        default=None, description="Is told when the verification has ended."
    )
