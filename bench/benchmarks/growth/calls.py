"""Finds the functions of `domain/` that take text, and calls each with nothing but texts.

Arguments are built from their types: a text is a text, a list has its words or lines, a record has texts in its fields.
Values that the domain itself reads from a text (tokens, statements, quantities) are read here, before the clock starts.
"""

import inspect
import pkgutil
import re
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module

import domain
from benchmarks.growth.readers import ARGUMENTS, READERS

type_of = typing.get_origin
ORDINARY = "The bridge over the Arno was opened on 3 May 1998 and cost 4.5 million euros [1]."
_LISTS = (Sequence, Iterable, Collection, list, tuple)
_NO_TEXT = {
    "answers.conflicts_in_words.conflict_in_words": "a stored conflict, of two values and names of documents",
    "prompting.prompts.prompt_version": "the name of a file of the program",
    "prompting.prompts.prompt_sha256": "the name of a file of the program",
    "prompting.prompts.render": "the name of a file of the program; what fills it in is put in as it is",
    "documents.formats.listed": "suffixes of the program",
    "documents.fingerprints.similarity": "numbers, 256 of each text",
    "documents.sources.check_options": "a kind and names of options, of which there are few",
    "documents.corrections.moved_spans": "places, with names that stay as they are",
    "documents.figures.figure_of": "places and kinds of figures, and the places of some words",
    "documents.corrected_spans.restored": "stored places, with texts that stay as they are",
    "documents.corrections.moved_boxes": "boxes of words, without the words",
    "entities.written_numbers.written_value": "one number that was found",
    "prompting.batched_items.items_of": "the name of a field of a prompt",
    "support.model.parsed": "a file of the program",
    "support.model.parse_regression": "a file of the program",
    "quality.signal.signal_in": "words of the program",
    "quality.signal.signal_of": "states, which are words of the program",
    "quality.signal.signal_text": "words of the program",
    "quality.summary_line.explained": "words of the program",
    "quality.summary_line.verifier_note": "words of the program",
    "quality.summary_line.verification_line": "states, which are words of the program",
    "verdicts.states.is_ungrounded": "states, which are words of the program",
    "webhooks.delivery.checked_filters": "names of events, of which there are few",
    "facts.reading.korean.minutes": "a time of day that was found, of a few characters",
}
"""Functions whose strings come from no user, document or model, each with the reason."""


@dataclass(frozen=True, slots=True)
class Call:
    """A function with a way of calling it: `prepare` gets the texts for its arguments and returns what is timed."""

    name: str
    way: str
    prepare: Callable[[Callable[[int], str]], Callable[[], object]]


class Uncallable(Exception):
    """No argument can be built for this type."""


@cache
def functions() -> Mapping[str, Callable[..., object]]:
    """Return every public function of the domain that takes text, by its name without `domain.`."""
    found: dict[str, Callable[..., object]] = {}
    for module in pkgutil.walk_packages(domain.__path__, "domain."):
        for name, value in vars(import_module(module.name)).items():
            plain = inspect.unwrap(value) if callable(value) else None
            told = f"{module.name}.{name}".removeprefix("domain.")
            if name.startswith("_") or not inspect.isfunction(plain) or plain.__module__ != module.name:
                continue
            if told not in _NO_TEXT and any(has_text(each) for each in _parameters(plain).values()):
                found[told] = typing.cast(Callable[..., object], value)
    return found


def calls(name: str) -> list[Call]:
    """Return the ways to call it: long texts everywhere, in one argument only, lists of many parts and of few.

    Raises Uncallable when an argument cannot be built.
    """
    function = functions()[name]
    if name in ARGUMENTS:
        return [Call(name, "all long", lambda text: _timed(function, ARGUMENTS[name](text(0))))]
    wanted = _parameters(inspect.unwrap(function))
    given = inspect.signature(function).parameters
    needed = [each for each in wanted if given[each].default is inspect.Parameter.empty]
    long = [each for each in wanted if has_text(wanted[each])]
    ways: dict[str, tuple[Collection[str], bool]] = {"all long": (long, True)}
    if len(long) > 1:
        ways |= {f"{each} long": ((each,), True) for each in long if each in needed}
    if any(type_of(wanted[each]) in _LISTS for each in long):
        ways["one part"] = (long, False)

    def prepared(longs: Collection[str], parted: bool) -> Callable[[Callable[[int], str]], Callable[[], object]]:
        names = [each for each in wanted if each in needed or (longs is long and each in longs)]

        def prepare(text: Callable[[int], str]) -> Callable[[], object]:
            texts = {each: text(place) if each in longs else ORDINARY for place, each in enumerate(names)}
            arguments = {each: build(wanted[each], texts[each], parted=parted) for each in names}
            positional = [
                arguments.pop(each) for each in names if given[each].kind is not inspect.Parameter.KEYWORD_ONLY
            ]
            return _timed(function, positional, arguments)

        return prepare

    return [Call(name, way, prepared(*how)) for way, how in ways.items()]


def _timed(
    function: Callable[..., object], positional: Sequence[object], named: Mapping[str, object] | None = None
) -> Callable[[], object]:
    def run() -> object:
        result = function(*positional, **(named or {}))
        return list(typing.cast(Iterable[object], result)) if isinstance(result, Iterator) else result

    return run


def _parameters(function: Callable[..., object]) -> dict[str, object]:
    return {name: kind for name, kind in typing.get_type_hints(function).items() if name != "return"}


def has_text(kind: object, within: tuple[object, ...] = ()) -> bool:
    """Return whether values of this type contain text that is not the program's own."""
    origin, arguments = type_of(kind), typing.get_args(kind)
    if kind is str or kind is object or kind is typing.Any:
        return True
    if kind in within or origin in (typing.Literal, Callable):
        return False
    if origin is not None:
        inner = [each for each in arguments if each is not Ellipsis]
        return origin is re.Match or any(has_text(each, (*within, kind)) for each in (*inner, *_own(origin)))
    if not _is_record(kind) or issubclass(kind, Enum):
        return False
    return any(has_text(each, (*within, kind)) for each in typing.get_type_hints(kind).values())


def _own(origin: object) -> tuple[object, ...]:
    return (origin,) if _is_record(origin) else ()


def _is_record(kind: object) -> typing.TypeGuard[type[object]]:
    return isinstance(kind, type) and kind.__module__.startswith("domain")


def build(kind: object, text: str, *, parted: bool) -> object:
    """Return a value of this type that is made of `text`; `parted` lists have its words, others the whole of it."""
    if reader := READERS.get(kind):
        return reader(text)
    origin, arguments = type_of(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return build(max(arguments, key=lambda each: (each in READERS, has_text(each))), text, parted=parted)
    if origin is typing.Literal:
        return arguments[0]
    if origin in (Mapping, dict):
        return {
            build(arguments[0], part, parted=False): build(arguments[1], part, parted=False)
            for part in _parts(text, parted)
        }
    if origin is tuple and arguments[1:] != (Ellipsis,):
        return tuple(build(each, text, parted=parted) for each in arguments)
    if origin in _LISTS or origin in (Set, frozenset):
        made = [build(arguments[0], part, parted=False) for part in _parts(text, parted)]
        return frozenset(made) if origin in (Set, frozenset) else tuple(made) if origin is tuple else made
    return _plain(origin or kind, text, parted=parted)


def _parts(text: str, parted: bool) -> Sequence[str]:
    return (text.splitlines() if text.count("\n") > 1 else text.split()) if parted else [text]


def _plain(kind: object, text: str, *, parted: bool) -> object:
    simple: dict[object, object] = {str: text, int: 1, float: 0.5, bool: False, object: text, typing.Any: text}
    if isinstance(kind, typing.TypeVar):
        return text
    if kind in simple:
        return simple[kind]
    if typing.is_typeddict(kind):
        return {name: build(each, text, parted=parted) for name, each in typing.get_type_hints(kind).items()}
    if not _is_record(kind):
        raise Uncallable(str(kind))
    if issubclass(kind, Enum):
        return next(iter(kind))
    fields = inspect.signature(kind).parameters
    hints = typing.get_type_hints(kind)
    return kind(**{name: build(hints[name], text, parted=parted) for name in fields})


@cache
def caches() -> list[Callable[[], None]]:
    """Return functions that empty the caches of the domain's functions, which would otherwise answer a second call."""
    kept = (
        value
        for name, module in list(sys.modules.items())
        if name.startswith("domain")
        for value in vars(module).values()
    )
    remembering = {id(value): value for value in kept if hasattr(value, "cache_clear") and not isinstance(value, type)}
    return [each.cache_clear for each in remembering.values() if inspect.signature(each).parameters]
