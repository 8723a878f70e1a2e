"""The format of a key, and what scopes allow (A8)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors.access import KeyInvalid
from domain.keys import ID_BYTES, SECRET_BYTES, Scope, allows, build_key, digest, parse_key
from verify_material.rows import for_all_rows

KEY = build_key(bytes(range(ID_BYTES)), bytes(range(SECRET_BYTES)))


@given(st.binary(min_size=ID_BYTES, max_size=ID_BYTES), st.binary(min_size=20, max_size=40))
def test_a_key_is_read_as_it_was_built(id_bytes: bytes, secret: bytes) -> None:  # A8
    key = build_key(id_bytes, secret)
    assert re.fullmatch(r"cw_[0-9A-Za-z]{12}_[0-9A-Za-z]{27,}_[0-9A-Za-z]{6}", key)
    assert parse_key(key).id == key.split("_")[1]
    assert parse_key(key).digest == digest(key)


def test_no_bit_of_the_secret_is_lost() -> None:  # A8
    low, high = bytes(SECRET_BYTES), b"\x80" + bytes(SECRET_BYTES - 1)
    secrets = {build_key(bytes(ID_BYTES), secret).split("_")[2] for secret in (low, high, b"\xff" * SECRET_BYTES)}
    assert len(secrets) == 3


@given(st.integers(0, len(KEY) - 1), st.characters())
def test_a_mistyped_key_is_refused_without_a_lookup(place: int, typed: str) -> None:  # A8
    mistyped = KEY[:place] + typed + KEY[place + 1 :]
    if mistyped != KEY:
        with pytest.raises(KeyInvalid):
            parse_key(mistyped)


@for_all_rows("text", ["", "cw_", "cw___", KEY[:-1], KEY[1:], KEY + "0", f" {KEY}", "gsk_" + "a" * 50, "\ud800"])
def test_what_is_no_key_is_refused(text: str) -> None:  # A8
    with pytest.raises(KeyInvalid):
        parse_key(text)


def test_too_little_randomness_makes_no_key() -> None:  # A8
    with pytest.raises(ValueError, match="random bytes"):
        build_key(bytes(ID_BYTES), bytes(19))
    with pytest.raises(ValueError, match="random bytes"):
        build_key(bytes(ID_BYTES - 1), bytes(SECRET_BYTES))


def test_admin_includes_all_scopes_and_no_other_includes_any() -> None:  # A8
    for granted in Scope:
        assert {needed for needed in Scope if allows({granted}, needed)} == (
            set(Scope) if granted is Scope.ADMIN else {granted}
        )
    assert not allows(set(), Scope.READ)
