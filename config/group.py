"""A group of settings: an unknown name is an error, and nothing changes after the start."""

from pydantic import BaseModel, ConfigDict


class Group(BaseModel):
    """Base of all groups."""

    model_config = ConfigDict(extra="forbid", frozen=True)
