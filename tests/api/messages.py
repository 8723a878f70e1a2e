"""Finds, in the source, every message and reason that the API can tell people: `templates()`.

A message is a docstring of an error, or any text of words in the modules below that is not a list of words, a pattern,
a prompt or a log line. `{1}`, `{2}` … stand for what is put in when it is told. What others join with "; " is found in
its parts, as the page translates it.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_ROOTS = (
    *(
        "domain/audit",
        "packages/verify/citewell_verify/correction",
        "domain/documents/corrections.py",
        "packages/verify/citewell_verify/evidence",
        "domain/keys.py",
        "domain/query/budget.py",
    ),
    *(
        "domain/query/options.py",
        "domain/question/nearest.py",
        "packages/verify/citewell_verify/question/relevance.py",
        "domain/quality/signal.py",
    ),
    *(
        "packages/verify/citewell_verify/text/languages.py",
        "packages/verify/citewell_verify/text/windows.py",
        "packages/verify/citewell_verify/verdicts",
        "domain/webhooks",
        "services/audit",
        "services/correction",
    ),
    *(
        "services/core/context.py",
        "services/core/model_choice.py",
        "services/documents",
        "services/external",
        "services/finishing",
    ),
    *("services/generation", "services/graph", "services/judging", "services/operations", "services/queries"),
    *("services/reporting", "services/retrieval", "services/verification", "services/webhooks", "clients/llm/calling"),
    *("clients/llm/completions", "clients/llm/gateway.py", "clients/llm/offline"),
    *("clients/llm/trial.py", "clients/llm/servers.py", "clients/llm/server_addresses.py"),
    *("clients/limiter/limiter.py", "clients/limiter/protocol.py", "clients/embeddings/openai_compatible.py"),
    *(
        "clients/webhooks",
        "packages/documents/citewell_documents/parsing",
        "workers/background/reconciler.py",
        "workers/execution",
    ),
    *("clients/sources", "clients/object_store", "services/sources", "domain/documents/sources.py"),
    *("workers/tasks/maintenance.py", "api/http/errors.py", "api/http/middleware.py"),
    *(
        "api/http/accepted_requests.py",
        "api/http/paging.py",
        "api/http/security.py",
        "api/http/uploads.py",
        "api/routes/documents/documents.py",
        "api/routes/search.py",
        "api/answers",
    ),
)
# What nobody reads on the page: metrics, what is written into answers in their own language, parts of HTML, and what
# only a person at the command line or the log can meet.
_ASIDE = (
    *("services/operations/exposition.py", "domain/answers/continuous_text.py", "domain/quality/summary_line.py"),
    *(
        "packages/documents/citewell_documents/parsing/html/nodes.py",
        "clients/webhooks/networks.py",
        "services/documents/reembedding.py",
    ),
    *(
        "packages/verify/citewell_verify/evidence/citation_types.py",
        "packages/verify/citewell_verify/correction/released_text.py",
    ),
    *(
        "api/answers/streaming.py",
        "clients/llm/offline/model.py",
        "packages/documents/citewell_documents/parsing/html/tables.py",
    ),
    *(
        "packages/documents/citewell_documents/parsing/html/blocks.py",
        "packages/documents/citewell_documents/parsing/sandbox/isolated.py",
    ),
)
# Where values are refused, what `ValueError` says is told as well; the formats of other systems are not the page's.
_REFUSING = ("api/schemas", "domain/query/options.py", "domain/query/workspace_rules.py")
_FOREIGN = "api/schemas/formats"
_SILENT_CALLS = re.compile(
    r"^(?:log|logger|_log)\.|^(?:Field|Query|Path|Header|Body|Form|File|Depends|APIKeyHeader|HTTPBearer|ValueError|TypeError"
    r"|RuntimeError|AssertionError|KeyError|NotImplementedError|re\.compile|text|row_json)$|\.split$|\.strip$|\.splitlines$"
)
_PATTERN = re.compile(r"\(\?|\\|\n|\[\^|=[\w\"]|\w\[\w|\{http|\w\|\w|^\{\"|'none'|; charset|\bNone$")
_WORD = re.compile(r"[A-Za-z’']{2,}")


def templates() -> dict[str, str]:
    """Every message with where it stands; a test says of each that it has a Korean text."""
    found: dict[str, str] = {}
    for path in _files():
        for node, text in _texts(ast.parse(path.read_text(encoding="utf-8"))):
            for part in _parts(text):
                found.setdefault(part, f"{path}:{node.lineno}")
    for path in _under(_REFUSING):
        for node, text in _refusals(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(text, f"{path}:{node.lineno}")
    for name, doc in _errors():
        for part in _parts(" ".join(doc.split())):
            found.setdefault(part, f"domain/errors: {name}")
    return found


def _files() -> Iterator[Path]:
    yield from (path for path in _under(_ROOTS) if str(path) not in _ASIDE)


def _under(roots: Iterable[str]) -> Iterator[Path]:
    for root in map(Path, roots):
        for path in [root] if root.is_file() else sorted(root.rglob("*.py")):
            if not str(path).startswith(_FOREIGN):
                yield path


def _refusals(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="ValueError"), args=[ast.Constant() | ast.JoinedStr() as told]):
                yield told, _template(told)
            case _:
                pass


def _errors() -> Iterator[tuple[str, str]]:
    for path in sorted(Path("domain/errors").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                yield node.name, ast.get_docstring(node) or ""


def _texts(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    silent = {each for node in ast.walk(tree) for each in _silent(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node not in silent:
            text = _template(node)
            if text.strip().count(" ") >= 2 and len(_WORD.findall(text)) >= 2 and not _PATTERN.search(text):
                yield node, text


def _silent(node: ast.AST) -> Iterator[ast.AST]:
    """What is below a node and told to nobody: docstrings, log lines, annotations, parts of a text that is whole."""
    match node:
        case ast.Expr(value=ast.Constant()):
            yield node.value
        case ast.Call() if _SILENT_CALLS.search(ast.unparse(node.func)):
            yield from (child for child in ast.walk(node) if child is not node)
        case ast.JoinedStr() | ast.FormattedValue():
            yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.Constant))
        case ast.AnnAssign():
            yield from ast.walk(node.annotation)
        case _:
            pass


def _template(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    count = 0
    parts: list[str] = []
    for value in node.values:
        if isinstance(value, ast.Constant):
            parts.append(str(value.value))
        else:
            count += 1
            parts.append(f"{{{count}}}")
    return "".join(parts)


def _parts(text: str) -> Iterator[str]:
    """What begins with something else and a semicolon is translated behind that."""
    rest = (
        re.sub(r"^\{1\}(?:; | )(?=.*; )|^\{1\}; |^; ", "", text.strip()) if text.startswith(("{1}; ", "; ")) else text
    )
    numbers = list(dict.fromkeys(re.findall(r"\{\d+\}", rest)))
    for count, number in enumerate(numbers, start=1):
        rest = rest.replace(number, f"{{{count}}}")
    if len(_WORD.findall(rest)) >= 2:
        yield rest.strip()
