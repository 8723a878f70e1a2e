"""The settings, and the base class of their groups: unknown names are errors, and values are frozen after start-up."""

from pydantic import BaseModel, ConfigDict


class ConfigurationInvalid(Exception):
    """The configuration has a value that cannot be used; the message names the setting."""


class Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
