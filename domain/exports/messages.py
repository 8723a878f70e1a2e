"""Translates the API's English messages to another language, as `api/dashboard/js/messages.js` does for the page.

A table has each message as a template of the source, such as "the source does not have {1}", with its translation.
Texts that are in no table, such as the words of a model or a person, stay unchanged.
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
        """The texts around the places of the template that are filled."""
        return _PLACE.split(self.english)[::2]

    @cached_property
    def names(self) -> list[str]:
        return _PLACE.findall(self.english)

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """A strict and a loose pattern of the message. In the strict one, words in quotation marks end at the first
        closing mark; the loose one, for texts that no strict one fits, lets them end at a later mark.
        """
        first, *others = map(re.escape, self.pieces)
        strict = first
        for piece in others:
            strict += f"{'([^”]*?)' if strict.endswith('“') else '(.*?)'}{piece}"
        return re.compile(strict, re.DOTALL), re.compile("(.*?)".join([first, *others]), re.DOTALL)

    def is_near(self, text: str) -> bool:
        return text.startswith(self.pieces[0]) and text.endswith(self.pieces[-1])


def reader(messages: Mapping[str, str]) -> Told:
    """Return a function that translates a text of the API to the language of `messages`."""
    open_ = [_Template(english, own) for english, own in messages.items() if _PLACE.search(english)]
    # The template with the longest text of its own is the most specific, so it is tried first.
    open_.sort(key=lambda template: -len("".join(template.pieces)))
    # These templates may fit several messages together: they have a semicolon of their own, or end with a further
    # message.
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
    """The translation by the first of `templates` that fits `text`; the filled-in words are translated, too. None if no
    template fits.
    """
    near = [template for template in templates if template.is_near(text)]
    for strictness in (0, 1):
        for template in near:
            if match := template.patterns[strictness].fullmatch(text):
                said = dict(zip(template.names, match.groups(), strict=True))
                return _PLACE.sub(lambda place, said=said: read(said.get(place[1], "")), template.own)
    return None


def _apart(text: str) -> list[str]:
    """The reasons that were joined with semicolons. A semicolon within quotation marks belongs to quoted words."""
    parts = [""]
    for piece in _QUOTED.split(text):
        first, *others = [piece] if _QUOTED.fullmatch(piece) else piece.split("; ")
        parts[-1] += first
        parts += others
    return parts
