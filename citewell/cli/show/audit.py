"""Terminal views of audits."""

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from citewell.cli.console import plain
from citewell.cli.show.words import counted, verdict
from citewell_client.types import AuditCheck, AuditRecord, Comparison, SentenceCompared

_HASH_DIGITS = 12
_SAYS = {
    "broken": "the chain is broken here",
    "changed": "was changed",
    "missing": "is gone",
    "added": "was added later",
}


def chain_view(entry: AuditRecord) -> Text:
    record = entry["record"]
    return plain(f"{record['seq']:>4}  {entry['hash'][:_HASH_DIGITS]}  {_named(record)}")


def check_view(check: AuditCheck) -> RenderableType:
    lines: list[RenderableType] = []
    for difference in check["differences"]:
        where = f"record {difference['seq']}" if difference["seq"] else "what is stored"
        fields = f" ({', '.join(difference['fields'])})" if difference["fields"] else ""
        lines.append(plain(f"{where}: {_named(difference['record'])} {_SAYS[difference['what']]}{fields}", "red"))
    lines.append(
        plain(f"head {check['head']}")
        if lines
        else plain(f"OK: {counted(check['records'], 'record')}, head {check['head']}", "green")
    )
    notes = {
        "erased": "contents were erased; their hashes remain",
        "later": "calls or outcomes were stored after the end",
        "unknown_prompts": "prompts are in another version on this server",
    }
    lines += [plain(f"{check[name]} {words}", "dim") for name, words in notes.items() if check[name]]
    return Group(*lines)


def _named(record: dict[str, Any]) -> str:
    """Return the name of a record, such as `outcome round 0 check_statements s1:c1`."""
    kind = record.get("kind", "head")
    names = ("chunk_id", "name", "version", "step", "item", "prompt", "call", "index", "position", "number", "status")
    values = [f"{record[name]}" for name in names if record.get(name) not in (None, "") and name in _fields_of(kind)]
    return " ".join([kind, *values])


def _fields_of(kind: str) -> tuple[str, ...]:
    return {
        "source": ("chunk_id", "version"),
        "prompt": ("name", "version"),
        "call": ("call", "step", "item", "prompt"),
        "outcome": ("step", "item"),
        "edit": ("index",),
        "citation": ("position", "number"),
        "verdict": ("position", "status"),
        "result": ("status",),
    }.get(kind, ())


def comparison_view(comparison: Comparison) -> RenderableType:
    changed = [sentence for sentence in comparison["sentences"] if sentence["changed"]]
    if not changed:
        return plain(f"all {counted(len(comparison['sentences']), 'sentence')} are judged as before", "green")
    lines: list[RenderableType] = [
        Text(f"{counted(len(changed), 'sentence')} of {len(comparison['sentences'])} changed")
    ]
    return Group(*lines, *(line for sentence in changed for line in _sentence(sentence)))


def _sentence(sentence: SentenceCompared) -> list[RenderableType]:
    old, new = (verdict(state["status"]) if state else Text("–") for state in (sentence["old"], sentence["new"]))
    return [
        plain(sentence["text"]),
        Text.assemble("  ", old, " → ", new),
        plain(f"  {(sentence['new'] or {}).get('reason', '')}", "dim"),
    ]
