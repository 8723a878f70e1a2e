"""What the API says in English, in another language: as `api/dashboard/js/messages.js` reads it for the page.

A table has each message as a template of the source, such as "the source does not have {1}", with its translation. What
is in no table, as the words of a model or a person, stays as it is.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

Told = Callable[[str], str]

_PLACE = re.compile(r"\{(\w+)\}")
_QUOTED = re.compile(r"(“[^”]*”)")
_OF_SEVERAL = re.compile(r"; |\.\{\w+\}$")


@dataclass(frozen=True)
class _Template:
    english: str
    own: str

    @cached_property
    def pieces(self) -> list[str]:
        """The text around what is put in."""
        return _PLACE.split(self.english)[::2]

    @cached_property
    def names(self) -> list[str]:
        return _PLACE.findall(self.english)

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """What stands in quotation marks ends with the first of them; only where nothing fits so, with a later one."""
        first, *others = map(re.escape, self.pieces)
        strict = first
        for piece in others:
            strict += f"{'([^”]*?)' if strict.endswith('“') else '(.*?)'}{piece}"
        return re.compile(strict, re.DOTALL), re.compile("(.*?)".join([first, *others]), re.DOTALL)

    def is_near(self, text: str) -> bool:
        return text.startswith(self.pieces[0]) and text.endswith(self.pieces[-1])


def reader(messages: Mapping[str, str]) -> Told:
    """A function that reads a text of the API in the language of `messages`."""
    open_ = [_Template(english, own) for english, own in messages.items() if _PLACE.search(english)]
    # The one with the most words of its own says most.
    open_.sort(key=lambda template: -len("".join(template.pieces)))
    # These templates may hold several messages: they have a semicolon of their own, or another sentence behind.
    whole = [template for template in open_ if _OF_SEVERAL.search(template.english)]

    def read(text: str) -> str:
        if (own := messages.get(text)) is not None:
            return own
        if (bare := text.strip()) != text:
            return text.replace(bare, read(bare), 1) if bare else text
        parts = _apart(text)
        if (put := _filled(whole if len(parts) > 1 else open_, text, read)) is not None:
            return put
        return "; ".join(map(read, parts)) if len(parts) > 1 else text

    return read


def _filled(templates: Iterable[_Template], text: str, read: Told) -> str | None:
    """The first of `templates` that `text` is made of, with what is put in read as well; None for none."""
    near = [template for template in templates if template.is_near(text)]
    for strictness in (0, 1):
        for template in near:
            if match := template.patterns[strictness].fullmatch(text):
                said = dict(zip(template.names, match.groups(), strict=True))
                return _PLACE.sub(lambda place, said=said: read(said.get(place[1], "")), template.own)
    return None


def _apart(text: str) -> list[str]:
    """Reasons that were put together with semicolons; those within quotations are words of somebody."""
    parts = [""]
    for piece in _QUOTED.split(text):
        first, *others = [piece] if _QUOTED.fullmatch(piece) else piece.split("; ")
        parts[-1] += first
        parts += others
    return parts
