"""Finds the functions of `citewell_verify` and `domain` that take text, and calls each with nothing but texts.

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
from datetime import date
from enum import Enum
from functools import cache
from importlib import import_module
from uuid import UUID

import citewell_verify
import domain
from benchmarks.growth.readers import ARGUMENTS, READERS
from citewell_verify.verdicts.ruling import StoredRuling

type_of = typing.get_origin
_OWN = ("citewell_documents", "citewell_verify", "domain")
ORDINARY = "The bridge over the Arno was opened on 3 May 1998 and cost 4.5 million euros [1]."
_LISTS = (Sequence, Iterable, Collection, list, tuple)
_NO_TEXT = {
    "answers.conflicts_in_words.conflict_in_words": "a stored conflict, of two values and names of documents",
    "prompting.prompts.prompt_version": "the name of a file of the program",
    "prompting.prompts.prompt_sha256": "the name of a file of the program",
    "prompting.prompts.render": "the name of a file of the program; what fills it in is put in as it is",
    "documents.fingerprints.similarity": "numbers, 256 of each text",
    "documents.sources.check_options": "a kind and names of options, of which there are few",
    "documents.corrections.moved_spans": "places, with names that stay as they are",
    "documents.text_marks.restored": "stored places, with texts that stay as they are",
    "documents.corrections.moved_boxes": "boxes of words, without the words",
    "answers.guarded_text.ruled": "a result of a verification, whose sentences are short",
    "answers.translation.remarks": "places in an answer",
    "embeddings.wheel.shared": "a file of the program",
    "entities.numbers.written_value": "one number that was found",
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
    "gate.outcome.assert_supported": "an answer and sources, which it gives to `verify`",
    "evidence.passages.number_of": "an id of the program",
    "people.granted": "rules of the operator and names of groups, of which there are few",
    "query.workspace_rules.reasons_for_review": "rules of a workspace, of which there are few",
    "query.workspace_rules.strictest": "rules of workspaces, of which there are few",
    "verification.findings.read_verdict": "a stored ruling",
    "verification.repairs.repairs_of": "stored repairs",
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
    """Return every public function that takes text, by its name without that of its package."""
    found: dict[str, Callable[..., object]] = {}
    for module in _modules():
        for name, value in vars(import_module(module.name)).items():
            plain = inspect.unwrap(value) if callable(value) else None
            told = f"{module.name.partition('.')[2]}.{name}"
            if name.startswith("_") or not inspect.isfunction(plain) or plain.__module__ != module.name:
                continue
            if told in ARGUMENTS or (told not in _NO_TEXT and _is_measured(plain)):
                found[told] = typing.cast(Callable[..., object], value)
    return found


def _modules() -> Iterator[pkgutil.ModuleInfo]:
    for package in (citewell_verify, domain):
        names = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        # A program's entry runs when it is imported.
        yield from (module for module in names if not module.name.endswith("__main__"))


def _is_measured(function: Callable[..., object]) -> bool:
    """Return whether it takes text, and no model, embedder or function, which would do the work in its place."""
    kinds = _parameters(function).values()
    asks = inspect.iscoroutinefunction(function) or any(map(_is_tool, kinds))
    return not asks and any(map(has_text, kinds))


def _is_tool(kind: object) -> bool:
    return type_of(kind) is Callable or getattr(kind, "_is_protocol", False)


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
    return {name: kind for name, kind in _hints(function).items() if name != "return"}


def _hints(kind: typing.Any) -> dict[str, object]:
    # This type is imported for type checkers only where it is named, because the modules need each other.
    return typing.get_type_hints(kind, localns={"StoredRuling": StoredRuling})


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
    return any(has_text(each, (*within, kind)) for each in _hints(kind).values())


def _own(origin: object) -> tuple[object, ...]:
    return (origin,) if _is_record(origin) else ()


def _is_record(kind: object) -> typing.TypeGuard[type[object]]:
    return isinstance(kind, type) and kind.__module__.startswith(_OWN)


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
    simple |= {UUID: UUID(int=1), date: date(2026, 1, 1)}
    if isinstance(kind, typing.TypeVar):
        return text
    if kind in simple:
        return simple[kind]
    if typing.is_typeddict(kind):
        return {name: build(each, text, parted=parted) for name, each in _hints(kind).items()}
    if not _is_record(kind):
        raise Uncallable(str(kind))
    if issubclass(kind, Enum):
        return next(iter(kind))
    fields = inspect.signature(kind).parameters
    hints = _hints(kind)
    return kind(**{name: build(hints[name], text, parted=parted) for name in fields})


@cache
def caches() -> list[Callable[[], None]]:
    """Return functions that empty the caches of the measured functions, which would otherwise answer a second call."""
    kept = (
        value for name, module in list(sys.modules.items()) if name.startswith(_OWN) for value in vars(module).values()
    )
    remembering = {id(value): value for value in kept if hasattr(value, "cache_clear") and not isinstance(value, type)}
    return [each.cache_clear for each in remembering.values() if inspect.signature(each).parameters]
