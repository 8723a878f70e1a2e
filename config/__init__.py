"""The settings, and the base class of their groups: unknown names are errors, and values are frozen after start-up."""

from ipaddress import ip_network
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict


class ConfigurationInvalid(Exception):
    """The configuration has a value that cannot be used; the message names the setting."""


class Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _networks(networks: tuple[str, ...]) -> tuple[str, ...]:
    for network in networks:
        ip_network(network)
    return networks


Networks = Annotated[tuple[str, ...], AfterValidator(_networks)]
"""Networks such as 10.0.0.0/8; an address with host bits is refused."""
