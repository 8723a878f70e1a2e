"""The families of rules of evidence, and how each is switched off. Every rule must be listed here."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewell_verify.evidence.contradictions import Disagreement, disagreements

ROOT = Path(__file__).parents[3]
Function = Callable[..., Any]


def _nothing(*_: object, **__: object) -> tuple[Any, ...]:
    return ()


def _no(*_: object, **__: object) -> bool:
    return False


def _none(*_: object, **__: object) -> None:
    return None


def _without_headings(claim: str, quoted: str, *_: str) -> tuple[Disagreement, ...]:
    return disagreements(claim, quoted)


@dataclass(frozen=True)
class Family:
    """A family: `modules` have its code; `switches` give for each of its functions ("module:name") the replacement that
    switches it off."""

    name: str
    modules: tuple[str, ...]
    switches: tuple[tuple[str, Function], ...]

    @property
    def lines(self) -> int:
        """Return the lines of its modules, which another family may share."""
        paths = [ROOT / "packages/verify" / f"{each.replace('.', '/')}.py" for each in self.modules]
        return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


_C, _D, _S = (f"citewell_verify.facts.{each}" for each in ("comparison", "differences", "structure"))
_E = "citewell_verify.evidence"
_TABLES = ("cells", "bound_cells", "cell_values", "column_heads", "tables")


def _family(name: str, module: str, function: str, without: Function, *also: str) -> Family:
    return Family(name, (module, *also), ((f"{module}:{function}", without),))


FAMILIES = (
    _family("values in one place", f"{_D}.sentence", "value_differences", _nothing),
    _family("names in one place", f"{_D}.sentence", "name_differences", _nothing),
    _family("units in one place", f"{_D}.sentence", "unit_differences", _nothing),
    _family("negation, modality, quantifiers", f"{_D}.cues", "cue_differences", _nothing),
    _family("other words", f"{_D}.sentence", "_words", _nothing),
    _family("opposites", f"{_D}.sentence", "are_opposites", _no),
    _family("parties by order", f"{_D}.parties", "order_differences", _nothing),
    _family("parties over the voice", f"{_D}.parties", "voice_differences", _nothing),
    _family("parties by Korean particles", f"{_D}.parties", "korean_party_differences", _nothing),
    _family("sections", _C, "compare_with_section", _none, f"{_S}.sections"),
    _family("cells of tables", f"{_S}.cells", "compare_with_tables", _none, *(f"{_S}.{each}" for each in _TABLES[1:])),
    Family(
        "subjects of cited words (citations only)",
        (f"{_E}.citation_scoring", "citewell_verify.facts.quotation"),
        (
            (f"{_E}.citation_scoring:absent_subjects", _nothing),
            (f"{_E}.contradictions:cited_disagreements", _without_headings),
        ),
    ),
    _family(
        "plain substitution",
        f"{_E}.substitution",
        "plain_substitution",
        _none,
        f"{_E}.replaced_words",
        f"{_E}.closed_classes",
    ),
    _family("figures", f"{_E}.contradictions", "differing_figures", _nothing),
    _family("dates", f"{_E}.contradictions", "_dates", _nothing),
)
