"""Workspaces: how they may be named."""

import re
import unicodedata

from domain.errors import WorkspaceNameInvalid

MAX_NAME = 100
_NAME = re.compile(rf"[^\W_][\w.-]{{0,{MAX_NAME - 1}}}")


def workspace_name(text: str) -> str:
    """The name of a new workspace as it is stored. Raises WorkspaceNameInvalid, which says the rule.

    Letters and digits are those of all scripts. Names from before this rule remain in use; they are looked up as they
    are.
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not _NAME.fullmatch(name):
        raise WorkspaceNameInvalid(
            f"{name[:MAX_NAME]!r} cannot be the name of a workspace. {WorkspaceNameInvalid.RULE}"
        )
    return name
