"""Encrypts secrets for the database with a key that the database does not have: a setting, or a file in the home.

Only its owner can read the key file in the home. It is made when the first secret is stored; if the processes have no
home in common, the setting gives the key.
"""

import os
import secrets
from pathlib import Path
from typing import NoReturn

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from config.settings import Settings
from domain.errors.service import SecretUnreadable
from domain.errors.state import SecretUnstorable

FILE = "encryption.key"


def encrypted(secret: str, settings: Settings) -> str:
    """The secret, encrypted. Raises SecretUnstorable if there is neither a key nor a home that could keep one."""
    keys = _keys(settings) or _made(settings.home)
    return MultiFernet(keys).encrypt(secret.encode()).decode()


def decrypted(stored: str, settings: Settings) -> str:
    """The stored secret, decrypted. Raises SecretUnreadable if it was encrypted with none of the keys."""
    keys = _keys(settings)
    try:
        return MultiFernet(keys).decrypt(stored).decode() if keys else _unreadable()
    except InvalidToken:
        return _unreadable()


def _keys(settings: Settings) -> list[Fernet]:
    """The keys: the first one encrypts, and all of them decrypt. Raises SecretUnreadable."""
    given = settings.models.encryption_key
    try:
        text = given.get_secret_value() if given else (settings.home / FILE).read_text(encoding="ascii")
        keys = [Fernet(key) for key in text.replace(",", " ").split()]
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise SecretUnreadable from error
    return keys or _unreadable()


def _made(home: Path) -> list[Fernet]:
    key, draft = Fernet.generate_key(), home / f"{FILE}.{secrets.token_hex(8)}"
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(key)
        try:
            # If two processes start at once, only one of them makes the key.
            os.link(draft, home / FILE)
        finally:
            draft.unlink()
    except FileExistsError:
        key = (home / FILE).read_bytes()
    except OSError as error:
        raise SecretUnstorable from error
    return [Fernet(key)]


def _unreadable() -> NoReturn:
    raise SecretUnreadable
