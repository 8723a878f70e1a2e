"""The page at / as files: how they are served, and what they must never contain. tests/browser tests it in a
browser."""

import json
import re
import socket
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import structlog

from tests.api.problems import assert_problem
from tests.api.test_request_log import lines_of
from verify_material.rows import for_all_rows

FOLDER = Path("api/dashboard")
FILES = sorted(path for path in FOLDER.rglob("*") if path.is_file())
# What the page itself is made of: the example documents may say what they like.
OWN = [path for path in FILES if "example" not in path.relative_to(FOLDER).parts]
# Without the one that explains `words` by an example.
SCRIPTS = [path for path in FILES if path.suffix == ".js" and path.name != "i18n.js"]
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".html": "text/html",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
}

TEXTS: dict[str, dict[str, dict[str, str]]] = {
    language: json.loads((FOLDER / f"texts.{language}.json").read_text(encoding="utf-8")) for language in ("en", "ko")
}

# Everything that turns text into markup or code, and everything the policy would block.
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|DOMParser|document\.write|\beval\(|new Function"
    r"|setTimeout\(\s*[\"'`]|\son\w+=\"|\sstyle=\"|javascript:|srcdoc|createPolicy"
)
_ABROAD = re.compile(r"https?://[A-Za-z0-9][\w.-]*")
_HARMLESS = {"http://www.w3.org", "https://example.com", "https://example.org"}


def names(paths: list[Path]) -> list[str]:
    return [path.relative_to(FOLDER).as_posix() for path in paths]


def test_a_browser_may_run_and_load_only_what_comes_from_here(http: httpx.Client) -> None:  # S5.7, A8
    policy = http.get("/").raise_for_status().headers["content-security-policy"]
    rules: dict[str, str] = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == rules["frame-ancestors"] == "'none'"
    assert {rules[name] for name in ("script-src", "style-src", "img-src", "connect-src")} == {"'self'"}
    assert rules["require-trusted-types-for"] == "'script'"
    assert rules["trusted-types"] == "'none'"


@for_all_rows("name", ["", *(f"dashboard/{name}" for name in names(FILES))])
@for_all_rows("method", ["GET", "HEAD"])
def test_each_file_is_served_with_its_type_and_the_policy(http: httpx.Client, name: str, method: str) -> None:  # S5.7
    answer = http.request(method, f"/{name}").raise_for_status()
    assert answer.headers["content-type"].partition(";")[0] == TYPES[Path(name or "index.html").suffix]
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert (answer.headers["x-content-type-options"], answer.headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert bool(answer.content) == (method == "GET")


def test_the_page_names_files_that_a_browser_may_keep_and_that_change_with_every_version(http: httpx.Client) -> None:
    page = http.get("/").raise_for_status()
    assert page.headers["cache-control"] == "no-cache"
    found = re.findall(r'(?:src|href)="(dashboard/[^"]+)"', page.text)
    assert len(found) > 20
    for name in found:
        file = http.get(f"/{name}").raise_for_status()
        assert file.headers["cache-control"].endswith("immutable")
        assert len(file.content) < 1_000 or file.headers["content-encoding"] == "gzip"
    digests = {name.split("/")[1] for name in found}
    assert len(digests) == 1
    other = http.get(f"/{found[-1].replace(digests.pop(), '0' * 12)}").raise_for_status()
    assert other.headers["cache-control"] == "no-cache"


def test_the_first_page_loads_its_scripts_together_and_its_styles_as_one(http: httpx.Client) -> None:
    page = http.get("/").text
    for script in ("js/app.js", "js/pages/ask.js", "js/parts/question.js", "js/dom.js"):
        assert re.search(rf'rel="modulepreload" href="dashboard/[0-9a-f]{{12}}/{script}"', page)
    assert "js/pages/quality.js" not in page
    styles = http.get("/dashboard/css/page.css").text
    assert "@import" not in styles
    for name in names([path for path in FILES if path.suffix == ".css" and path.name != "page.css"]):
        assert (FOLDER / name).read_text(encoding="utf-8") in styles


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_first_page_loads_the_texts_of_its_own_scripts_alone(http: httpx.Client, language: str) -> None:
    first = http.get(f"/dashboard/texts.{language}.first.json").raise_for_status().json()
    assert {"app", "router", "pages/ask", "parts/question"} < first.keys()
    assert "pages/quality" not in first
    assert first == {module: TEXTS[language][module] for module in first}


def test_a_file_that_has_not_changed_is_not_sent_again(http: httpx.Client) -> None:
    first = http.get("/dashboard/js/app.js")
    again = http.get("/dashboard/js/app.js", headers={"If-None-Match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    assert first.headers["cache-control"] == again.headers["cache-control"] == "no-cache"


@for_all_rows(
    "path",
    [
        "/dashboard/nothing.js",
        "/dashboard/",
        "/dashboard/js",
        "/dashboard/../app.py",
        "/dashboard/%2e%2e/app.py",
        "/dashboard/..%2fapp.py",
        "/dashboard/js/..%5c..%5c..%5capp.py",
        "/dashboard//etc/passwd",
        "/dashboard/js/app.js%00.css",
    ],
)
def test_nothing_but_the_files_of_the_page_is_served(api_url: str, path: str) -> None:  # A8
    # By hand: HTTP clients tidy such addresses before they send them.
    parts = urlsplit(api_url)
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b"create_app" not in answer
    assert b"root:" not in answer


def test_files_are_logged_for_debugging_and_their_status_is_a_number(http: httpx.Client) -> None:  # A9
    with structlog.testing.capture_logs([structlog.contextvars.merge_contextvars]) as lines:
        found, missing = http.get("/dashboard/js/app.js"), http.get("/dashboard/js/nothing.js")
        told = lines_of(lines, found, missing)
    assert_problem(missing, 404, "not_found")
    assert [(line["log_level"], repr(line["status"])) for line in told] == [("debug", "200"), ("debug", "404")]


@for_all_rows("file", OWN)
def test_no_file_makes_markup_of_text_or_leads_elsewhere(file: Path) -> None:  # A8
    text = file.read_text(encoding="utf-8")
    assert FORBIDDEN.findall(text) == []
    assert set(_ABROAD.findall(text)) - _HARMLESS == set()


@for_all_rows("file", OWN)
def test_whatever_a_file_imports_is_there(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    found = re.findall(r'(?:from|import\(?)\s*"(\.[^"]+)"', text) if file.suffix == ".js" else []
    found += re.findall(r'@import (?:url\()?"([^"]+)"', text) if file.suffix == ".css" else []
    for name in found:
        assert (file.parent / name).is_file(), name


def test_the_page_names_its_files_in_relation_to_itself() -> None:
    """So that a proxy may show it below a path of its own."""
    text = (FOLDER / "index.html").read_text(encoding="utf-8")
    found = re.findall(r'(?:src|href)="([^"#]+)"', text)
    assert len(found) >= 3
    for name in found:
        assert (FOLDER.parent / name).is_file(), name


def test_every_file_is_part_of_the_package() -> None:  # A10
    built = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
    packed = {path for pattern in built["api"] for path in Path("api").glob(pattern)}
    assert set(FILES) <= packed


_PLACE = re.compile(r"\{\w+\}")


def test_both_languages_have_the_same_texts_and_fill_in_the_same_values() -> None:  # S5.3, S5.7
    english, korean = TEXTS["en"], TEXTS["ko"]
    assert {group: set(texts) for group, texts in english.items()} == {group: set(korean[group]) for group in korean}
    for group, texts in english.items():
        for name, text in texts.items():
            assert korean[group][name], f"{group}: {name}"
            assert set(_PLACE.findall(text)) == set(_PLACE.findall(korean[group][name])), f"{group}: {name}"


@for_all_rows("file", SCRIPTS)
def test_the_texts_that_a_script_names_are_there(file: Path) -> None:  # S5.3, S5.7
    text = file.read_text(encoding="utf-8")
    groups = re.findall(r'= words\("([^"]+)"\)', text)
    module = file.relative_to(FOLDER / "js").with_suffix("").as_posix()
    assert all(group == module or group.startswith(f"{module}/") for group in groups)
    known = {name for group in groups for name in TEXTS["en"][group]}
    if groups:
        assert set(re.findall(r'\bt\(\s*"([^"]+)"', text)) - known == set()


def test_every_text_is_of_a_script() -> None:
    told = "".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    assert [group for group in TEXTS["en"] if f'words("{group}")' not in told] == []
