"""Audits as JSON: the chain of a query, the result of checking it, and a request to verify an answer again (N6)."""

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
        description="The record; `kind` names its subject, and names that end in `sha256` are hashes of values that "
        "are stored elsewhere."
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

    seq: int | None = Field(description="The position in the chain; null for a record that is not in it.")
    kind: str
    what: Literal["broken", "changed", "missing", "added"] = Field(
        description="`broken`: the chain itself is inconsistent; the others: the stored data does not match the chain."
    )
    record: dict[str, JsonValue]
    fields: list[str] = Field(description="The fields of the record that differ.")


class AuditChecked(AuditHead):
    """The result of recomputing every hash from the stored data."""

    query: UUID
    format: int
    intact: bool = Field(description="Whether nothing was changed since the end of the query.")
    differences: list[AuditDifference]
    erased: int = Field(description="Contents whose erasure is allowed: only their hashes are left.")
    later: int = Field(description="Model calls and outcomes that were in progress at the end and stored after it.")
    unknown_prompts: int = Field(description="Prompts that this server has in another version.")


class ReverifyCreate(Input):
    """The options for verifying the stored answer again; omitted ones are as configured now."""

    model: str | None = Field(
        default=None, max_length=200, description="The model that judges: one of the configured models."
    )
    preset: Preset | None = None
    citation_confidence: Score | None = Field(
        default=None, ge=0, le=1, description="The confidence from which on a verdict counts."
    )
    checks: list[Check] | None = Field(
        default=None, min_length=1, description="The checks to run; all of them by default."
    )
    callback_url: Annotated[PlainText, Field(max_length=2048)] | None = Field(
        default=None, description="The address that receives the result of the verification."
    )
