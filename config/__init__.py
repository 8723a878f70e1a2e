"""The settings, and the base class of their groups: unknown names are errors, and values are frozen after start-up."""

from pydantic import BaseModel, ConfigDict


class Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
