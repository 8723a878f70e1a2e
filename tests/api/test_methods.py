"""405 and OPTIONS name every method of a path (RFC 9110)."""

import re
from collections import defaultdict

import httpx
import pytest

from tests.api.operations import operations
from tests.api.problems import assert_problem


def test_a_refused_method_names_all_methods_of_the_path(http: httpx.Client) -> None:
    paths: defaultdict[str, set[str]] = defaultdict(set)
    for operation in operations():
        paths[operation.path].add(operation.method)
    for path, methods in paths.items():
        filled = re.sub(r"{\w+}", "0", path)
        refused = http.request("TRACE", filled)
        assert refused.status_code == 405, path
        # An id may be a name that another path has, such as `batches`.
        assert set(refused.headers["allow"].split(", ")) >= methods | {"OPTIONS"}, path


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("/v1/queries", "GET, OPTIONS, POST"),
        ("/v1/feedback/0", "DELETE, GET, OPTIONS, PATCH"),
        ("/v1/workspaces/a", "DELETE, GET, OPTIONS, PATCH"),
        ("/healthz", "GET, OPTIONS"),
    ],
)
def test_what_may_be_done_at_a_path_can_be_asked(http: httpx.Client, path: str, methods: str) -> None:
    told = http.options(path)
    assert (told.status_code, told.content, told.headers["allow"]) == (204, b"", methods)
    assert assert_problem(http.request("PROPFIND", path), 405, "method_not_allowed")
    assert http.request("PROPFIND", path).headers["allow"] == methods


def test_where_there_is_nothing_nothing_is_allowed(http: httpx.Client) -> None:
    for method in ("OPTIONS", "TRACE", "GET"):
        nothing = http.request(method, "/v1/nothing")
        assert_problem(nothing, 404, "not_found")
        assert "allow" not in nothing.headers
