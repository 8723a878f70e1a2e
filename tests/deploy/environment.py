"""Environment variables: which are settings, which carry secrets."""

import re
from collections.abc import Mapping
from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from config.settings import Settings

_SECRET = re.compile(r"PASSWORD|SECRET|TOKEN|_KEY|AUTH$|_URL$")
# A password in an address, or a whole value, that compose fills in from outside.
_GIVEN = re.compile(r"\$\{\w+(:\?[^}]*|:-)?\}")
_PASSWORD_IN_URL = re.compile(r"://[^:/@]*:(?P<password>.+)@")
_ALIASES = [field.validation_alias for field in Settings.model_fields.values() if field.validation_alias]


def is_setting(variable: str) -> bool:
    """Whether a program of Citewell reads it."""
    if variable in _ALIASES:
        return True
    if not variable.startswith("CITEWELL_"):
        return False
    return _names_field(Settings, variable.removeprefix("CITEWELL_").lower().split("__"))


def _names_field(model: type[BaseModel], path: list[str]) -> bool:
    field = model.model_fields.get(path[0])
    if field is None or len(path) == 1:
        return field is not None
    return any(_names_field(group, path[1:]) for group in _groups(field))


def _groups(field: FieldInfo) -> list[type[BaseModel]]:
    kinds = (field.annotation, *get_args(field.annotation))
    return [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]


def written_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """Values that look like secrets and are in the file itself."""
    return {name: value for name, value in environment.items() if _SECRET.search(name) and _is_written(value)}


def _is_written(value: str) -> bool:
    if "://" not in value:
        return bool(value) and not _GIVEN.fullmatch(value)
    password = _PASSWORD_IN_URL.search(value)
    return password is not None and not _GIVEN.fullmatch(password["password"])
