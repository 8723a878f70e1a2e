"""Prompts: one Markdown file per judgement, rendered by one function, versioned by content.

A file has a `# system` and a `# user` part with `{{field}}` placeholders. Static text comes first, then sources, and
the question last, so that a provider's prefix cache can reuse the first parts.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from citewell_verify.prompting.batched_items import Items
from citewell_verify.prompting.numbered_sources import Sources, fenced

_PART = re.compile(r"^# (system|user)\n", re.MULTILINE)
_FIELD = re.compile(r"\{\{(\w+)\}\}")


class PromptFieldMismatch(ValueError):
    """The fields given to a prompt are not those that it names."""


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """The text for a model: its two parts, and the version (12 hex digits) of their file."""

    system: str
    user: str
    version: str


@dataclass(frozen=True, slots=True)
class _Template:
    system: str
    user: str
    sha256: str
    fields: frozenset[str]

    @property
    def version(self) -> str:
        return self.sha256[:12]


@cache
def _template(name: str) -> _Template:
    text = (files("citewell_verify.prompting.prompts") / f"{name}.md").read_text(encoding="utf-8")
    parts = _PART.split(text)[1:]
    by_role = dict(zip(parts[::2], (part.strip() for part in parts[1::2]), strict=True))
    return _Template(
        system=by_role["system"],
        user=by_role["user"],
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        fields=frozenset(_FIELD.findall(text)),
    )


def prompt_version(name: str) -> str:
    """Return the version of the prompt `name`: the first 12 hex digits of its file's SHA-256."""
    return _template(name).version


def prompt_sha256(name: str, version: str) -> str | None:
    """Return the SHA-256 of the prompt's file in hexadecimal, if this program's file has that version."""
    try:
        template = _template(name)
    except FileNotFoundError:
        return None
    return template.sha256 if template.version == version else None


def render(name: str, fields: Mapping[str, object]) -> RenderedPrompt:
    """Fill the prompt `name`. Sources and items have their own fence; any other value is disarmed first.

    Raises PromptFieldMismatch when a field is missing or unknown.
    """
    template = _template(name)
    if template.fields ^ fields.keys():
        raise PromptFieldMismatch(f"prompt {name!r} takes {sorted(template.fields)}, got {sorted(fields)}")

    values = {
        field: str(value) if isinstance(value, Sources | Items) else fenced(str(value))
        for field, value in fields.items()
    }

    def fill(text: str) -> str:
        return _FIELD.sub(lambda match: values[match[1]], text)

    return RenderedPrompt(system=fill(template.system), user=fill(template.user), version=template.version)


_FORM_WANTED = "Reply with one complete JSON object that has exactly the fields asked for, and with nothing else."


def asked_again(prompt: RenderedPrompt, fault: str) -> RenderedPrompt:
    """Return the prompt with the error in an earlier reply at its end, behind the part that servers cache."""
    note = f"An earlier reply to this could not be used: {fault}. {_FORM_WANTED}"
    return replace(prompt, user=f"{prompt.user}\n\n{note}")
