"""Requests about keys of the API."""

from collections.abc import Mapping, Sequence
from typing import Any

from citewell.client._calls import JSON_TYPE, Call, at, given, json_body, list_of, nothing_of, object_of
from citewell.wire import Key


def create(name: str, scopes: Sequence[str], options: Mapping[str, Any]) -> Call[Key]:
    fields = given(name=name, scopes=list(scopes), **options)
    return Call("POST", at("keys"), object_of, headers=JSON_TYPE, body=json_body(fields))


def listed() -> Call[list[Key]]:
    return Call("GET", at("keys"), list_of("keys"))


def revoke(key_id: str) -> Call[None]:
    return Call("DELETE", at("keys", key_id), nothing_of)
