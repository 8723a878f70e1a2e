"""Sign-in by OpenID Connect, at a real provider process, and what must not get in (issue 43, Show 1)."""


from tests.api.people.browsers import SHELF, browser, sign_in
from tests.api.people.provider import Provider


def test_a_person_signs_in(provider: Provider, api_url: str) -> None:  # 43
    with browser(api_url) as client:
        assert client.get("/v1/me").json()["code"] == "sign_in_required"
        back = sign_in(client, provider, "ada", "readers", "unknown", place="/documents?x=1")
        assert (back.status_code, back.headers["location"]) == (303, f"{api_url}/#/documents?x=1")
        me = client.get("/v1/me").json()
        assert (me["kind"], me["name"], me["email"]) == ("person", "Ada", "ada@example.com")
        assert (me["everywhere"], me["workspaces"]) == ("none", [{"name": SHELF, "role": "reader"}])
