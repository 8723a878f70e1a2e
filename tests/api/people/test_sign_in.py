"""Sign-in by OpenID Connect, at a real provider process, and what must not get in (issue 43, Show 1)."""

import json
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from sqlalchemy import text

from clients.oidc.id_tokens import provider_session
from clients.oidc.provider import Provider as Client
from config.settings import settings
from db.session import system_transaction
from tests.api.people.browsers import CLIENT, SHELF, begin, browser, come_back, sign_in
from tests.api.people.provider import Json, Provider
from tests.api.problems import assert_problem
from verify_material.rows import for_all_rows

_THEIR_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def changed(statement: str, **values: Any) -> None:
    """The database as it is after some time, or after another process was there."""
    with system_transaction() as session:
        session.execute(text(statement), values)
    time.sleep(0.25)  # for as long what was known a moment ago is trusted


def problem_of(response: httpx.Response) -> str:
    assert response.status_code == 303
    fragment = urlsplit(response.headers["location"]).fragment
    assert "citewell_session" not in response.headers.get("set-cookie", "").partition("=")[0]
    return parse_qs(fragment.partition("?")[2]).get("problem", [fragment])[0]


def is_out(client: httpx.Client) -> bool:
    return client.get("/v1/me").status_code == 401


def test_a_person_signs_in_and_out(provider: Provider, api_url: str) -> None:  # 43
    with browser(api_url) as client:
        assert_problem(client.get("/v1/me"), 401, "sign_in_required")
        back = sign_in(client, provider, "ada", "readers", "unknown", place="/documents?x=1")
        assert (back.status_code, back.headers["location"]) == (303, f"{api_url}/#/documents?x=1")
        session = next(line for line in back.headers.get_list("set-cookie") if line.startswith("citewell_session="))
        assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(session.split("; "))
        me = client.get("/v1/me").json()
        assert (me["kind"], me["name"], me["email"]) == ("person", "Ada", "ada@example.com")
        assert (me["everywhere"], me["workspaces"]) == ("none", [{"name": SHELF, "role": "reader"}])
        with system_transaction() as connection:
            stored = str(
                connection.execute(
                    text("SELECT person_sessions::text, sign_ins::text FROM person_sessions LEFT JOIN sign_ins ON true")
                ).all()
            )
        assert client.cookies["citewell_session"] not in stored
        kept = dict(client.cookies)
        left = client.post("/auth/sign-out")
        ended = urlsplit(str(left.json()["url"]))
        assert (ended.path, parse_qs(ended.query)["post_logout_redirect_uri"]) == (
            "/oauth2/end_session",
            [f"{api_url}/"],
        )
        assert is_out(client)
        assert httpx.get(f"{api_url}/v1/me", cookies=kept).status_code == 401


def test_cookies_are_secure_where_the_page_is(
    provider: Provider, api_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # 43
    monkeypatch.setenv("CITEWELL_PUBLIC_URL", "https://citewell.example")
    settings.cache_clear()
    with browser(api_url) as client:
        sent = client.get("/auth/sign-in")
        cookie = sent.headers["set-cookie"]
        assert cookie.startswith("__Host-citewell_sign_in=")
        assert {"HttpOnly", "Path=/", "SameSite=lax", "Secure"} <= set(cookie.split("; "))
        assert parse_qs(urlsplit(sent.headers["location"]).query)["redirect_uri"] == [
            "https://citewell.example/auth/callback"
        ]


def test_a_sign_in_works_once(provider: Provider, api_url: str) -> None:  # 43: replayed
    with browser(api_url) as client, browser(api_url) as another:
        provider.knows("ada", groups=["readers"])
        address = provider.answers(begin(client), "ada")
        cookies = dict(client.cookies)
        assert "citewell_session" in come_back(client, address).cookies
        # The same again, state and code, by the same browser and by another.
        assert problem_of(httpx.get(address, cookies=cookies)) == "state"
        assert problem_of(come_back(another, address)) == "state"
        # The code in another sign-in: it is bound to the verifier of its own.
        own = parse_qs(urlsplit(begin(another)).query)["state"][0]
        code = parse_qs(urlsplit(address).query)["code"][0]
        again = come_back(another, f"{api_url}/auth/callback?{urlencode({'code': code, 'state': own})}")
        assert problem_of(again) == "refused"
        unused = provider.answers(begin(client), "ada")
        begin(another)
        mixed = {
            "code": parse_qs(urlsplit(unused).query)["code"][0],
            "state": parse_qs(urlsplit(begin(another)).query)["state"][0],
        }
        assert problem_of(come_back(another, f"{api_url}/auth/callback?{urlencode(mixed)}")) == "refused"
        assert is_out(another)


def test_nobody_is_signed_in_as_somebody_else(provider: Provider, api_url: str) -> None:  # 43: login CSRF
    provider.knows("mallory", groups=["readers"])
    with browser(api_url) as attacker, browser(api_url) as victim:
        theirs = provider.answers(begin(attacker), "mallory")
        assert problem_of(come_back(victim, theirs)) == "state"  # never began
        begin(victim)
        assert problem_of(come_back(victim, provider.answers(begin(attacker), "mallory"))) == "state"
        assert is_out(victim)


def test_a_session_from_before_is_not_taken_over(provider: Provider, api_url: str) -> None:  # 43: fixation
    chosen = "chosen-by-somebody-else"
    with browser(api_url) as client:
        provider.knows("ada", groups=["readers"])
        address = provider.answers(begin(client), "ada")
        back = httpx.get(address, cookies={**dict(client.cookies), "citewell_session": chosen})
        first = back.cookies["citewell_session"]
        assert first != chosen
        # A new sign-in in the same browser ends the session before.
        address = provider.answers(begin(client), "ada")
        back = httpx.get(address, cookies={**dict(client.cookies), "citewell_session": first})
        for token, status in ((chosen, 401), (first, 401), (back.cookies["citewell_session"], 200)):
            assert httpx.get(f"{api_url}/v1/me", cookies={"citewell_session": token}).status_code == status


def test_people_are_led_back_to_the_page_only(provider: Provider, api_url: str) -> None:  # 43: open redirect
    places = [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "/a\r\nX-Evil: 1",
        "@evil.example",
        "/%0d%0a" * 60,
    ]
    for place in places:
        with browser(api_url) as client:
            provider.knows("ada", groups=["readers"])
            begun = client.get("/auth/sign-in", params={"next": place})
            if begun.status_code == 422:
                continue
            back = come_back(client, provider.answers(begun.headers["location"], "ada"))
            assert back.headers["location"].startswith(f"{api_url}/#"), place
            assert "x-evil" not in back.headers


def _signed(claims: Json, key: Any = _THEIR_KEY, algorithm: str | None = "RS256", **header: Any) -> str:
    return jwt.encode(claims, key, algorithm=algorithm, headers=header or None)


def _claims(tokens: Json) -> Json:
    return jwt.decode(tokens["id_token"], options={"verify_signature": False})


def trust_our_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have Citewell believe that the tests' own key is the provider's."""
    ours: Json = {**json.loads(RSAAlgorithm.to_jwk(_THEIR_KEY.public_key())), "kid": "known"}

    def signing_keys(_: Client, *, again: bool = False) -> list[Json]:
        return [ours] if not again else []

    monkeypatch.setattr(Client, "signing_keys", signing_keys)


def _cut(token: str) -> str:
    head, body, signature = token.split(".")
    return f"{head}.{body}.{signature[:-8]}{'A' * 8}"


def _kid(tokens: Json) -> Json:
    kid = jwt.get_unverified_header(tokens["id_token"]).get("kid")
    return {"kid": kid} if kid else {}


FORGERIES: dict[str, Callable[[Json, Json], str | None]] = {
    "no signature": lambda tokens, _: _signed(_claims(tokens), None, "none"),
    "another key": lambda tokens, _: _signed(_claims(tokens), **_kid(tokens)),
    "another key, named otherwise": lambda tokens, _: _signed(_claims(tokens), kid="mine"),
    "the client's secret": lambda tokens, _: _signed(_claims(tokens), "s3cret" * 8, "HS256"),
    "a cut signature": lambda tokens, _: _cut(tokens["id_token"]),
    "no token": lambda tokens, _: None,
    "no JWT": lambda tokens, _: "a.b.c",
    "the token of another sign-in": lambda _, older: older["id_token"],
}
WRONG_CLAIMS: dict[str, Json] = {
    "another audience": {"aud": "another"},
    "several audiences, for another": {"aud": [CLIENT, "another"], "azp": "another"},
    "several audiences, for nobody": {"aud": [CLIENT, "another"], "azp": None},
    "another issuer": {"iss": "https://evil.example"},
    "expired": {"exp": int(time.time()) - 3600},
    "not yet": {"nbf": int(time.time()) + 3600},
    "no end": {"exp": None},
    "no nonce": {"nonce": None},
    "another nonce": {"nonce": "x"},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
}


@pytest.mark.slow
@for_all_rows("name", FORGERIES)
def test_a_forged_token_is_refused(provider: Provider, api_url: str, name: str) -> None:  # 43: forged
    seen: list[Json] = []
    with browser(api_url) as client:
        provider.forge = lambda tokens: seen.append(tokens) or tokens
        sign_in(client, provider, "ada", "readers")
        client.post("/auth/sign-out")
        provider.forge = lambda tokens: {**tokens, "id_token": FORGERIES[name](tokens, seen[0])}
        assert problem_of(sign_in(client, provider, "ada", "readers")) == "token"
        assert is_out(client)


@pytest.mark.slow
@for_all_rows("name", WRONG_CLAIMS)
def test_a_token_for_somebody_or_something_else_is_refused(
    provider: Provider, api_url: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # 43: forged
    # Signed with a key that the provider has, as far as Citewell is told: only the claims are wrong.
    trust_our_key(monkeypatch)

    def forge(tokens: Json, wrong: Json) -> Json:
        claims = {claim: value for claim, value in {**_claims(tokens), **wrong}.items() if value is not None}
        return {**tokens, "id_token": _signed(claims, kid="known")}

    with browser(api_url) as client:
        provider.forge = lambda tokens: forge(tokens, WRONG_CLAIMS[name])
        assert problem_of(sign_in(client, provider, "ada", "readers")) == "token"
        assert is_out(client)
        provider.forge = lambda tokens: forge(tokens, {})
        sign_in(client, provider, "ada", "readers")
        assert not is_out(client)


_ENDED = "http://schemas.openid.net/event/backchannel-logout"
WRONG_LOGOUTS: dict[str, Json] = {
    "with a nonce": {"nonce": "x"},
    "another audience": {"aud": "another"},
    "several audiences, for another": {"aud": [CLIENT, "another"], "azp": "another"},
    "another issuer": {"iss": "https://evil.example"},
    "expired": {"exp": int(time.time()) - 3600},
    "no end": {"exp": None},
    "no time": {"iat": None},
    "not made yet": {"iat": int(time.time()) + 3600},
    "no id": {"jti": None},
    "neither a person nor a session": {"sub": None},
    "no text for a session": {"sub": None, "sid": 5},
    "an empty session": {"sub": None, "sid": ""},
    "a person who cannot be stored": {"sub": "a\0da", "sid": "s"},
    "before all time": {"iat": -1e300},
    "no event": {"events": None},
    "another event": {"events": {"https://example.com/other": {}}},
    "an event without an object": {"events": {_ENDED: True}},
    "events that are a list": {"events": [_ENDED]},
}


def logout_claims(provider: Provider, subject: str, **other: Any) -> Json:
    now = int(time.time())
    told: Json = {"iss": provider.issuer, "aud": CLIENT, "sub": subject, "jti": "1", "events": {_ENDED: {}}}
    return {name: value for name, value in {**told, "iat": now, "exp": now + 120, **other}.items() if value is not None}


def test_the_provider_ends_the_sessions_of_a_person(provider: Provider, api_url: str) -> None:  # 43: replayed
    """Back-Channel Logout 1.0: those that began before it said so, so the same again ends nothing more."""
    with browser(api_url) as here, browser(api_url) as there, browser(api_url) as bob:
        sign_in(bob, provider, "bob", "readers")
        for client in (here, there):
            sign_in(client, provider, "ada", "readers")
        changed("UPDATE person_sessions SET created_at = now() - interval '1 hour'")
        token = provider.signed(logout_claims(provider, "ada", iat=int(time.time()) - 100))
        for ends in (True, False):
            ended = httpx.post(f"{api_url}/auth/logout", data={"logout_token": token})
            assert (ended.status_code, ended.headers["cache-control"]) == (200, "no-store")
            assert [is_out(client) for client in (here, there, bob)] == [ends, True, False]
            sign_in(here, provider, "ada", "readers")


def test_the_provider_ends_one_session_of_a_person(provider: Provider, api_url: str) -> None:  # 43
    """Back-Channel Logout 1.0: a token that names a session ends that, with or without the person's name."""

    def signed_in(client: httpx.Client, name: str, session: str | None) -> httpx.Client:
        provider.forge = lambda tokens: {**tokens, "id_token": provider.signed({**_claims(tokens), "sid": session})}
        if session is None:
            provider.forge = lambda tokens: tokens
        sign_in(client, provider, name, "readers")
        return client

    with browser(api_url) as laptop, browser(api_url) as phone, browser(api_url) as unnamed, browser(api_url) as bob:
        for subject, ended in ((None, [True, False, False, True]), ("ada", [True, False, True, False])):
            signed_in(laptop, "ada", "laptop")
            signed_in(phone, "ada", "phone")
            signed_in(unnamed, "ada", None)
            signed_in(bob, "bob", "laptop")
            token = provider.signed(logout_claims(provider, "ada", sub=subject, sid="laptop"))
            assert httpx.post(f"{api_url}/auth/logout", data={"logout_token": token}).status_code == 200
            assert [is_out(client) for client in (laptop, phone, unnamed, bob)] == ended


@pytest.mark.parametrize("session", [None, 5, "", "x" * 300, "a\0b"])
def test_a_session_that_cannot_be_known_does_not_keep_anybody_in_or_out(
    provider: Provider, api_url: str, session: object
) -> None:  # 43
    with browser(api_url) as client:
        provider.forge = lambda tokens: {**tokens, "id_token": provider.signed({**_claims(tokens), "sid": session})}
        sign_in(client, provider, "ada", "readers")
        assert not is_out(client)
        token = provider.signed({**logout_claims(provider, "ada"), "sid": session})
        assert httpx.post(f"{api_url}/auth/logout", data={"logout_token": token}).status_code == 200
        assert is_out(client)


@for_all_rows("session", [None, 5, ["s"], "", "x" * 300, "a\0b", "\ud800"])
def test_a_session_that_cannot_be_stored_is_none(session: object) -> None:  # 43
    assert provider_session({"sid": session}) is None


def test_a_logout_that_the_provider_did_not_send_ends_nothing(
    provider: Provider, api_url: str
) -> None:  # 43: forged, expired
    seen: list[Json] = []
    with browser(api_url) as client:
        provider.forge = lambda tokens: seen.append(tokens) or tokens
        sign_in(client, provider, "ada", "readers")
        right = {"id_token": provider.signed(logout_claims(provider, "ada"))}
        forged = {name: forge(right, seen[0]) for name, forge in FORGERIES.items()}
        wrong = {
            name: provider.signed(logout_claims(provider, "ada", **other)) for name, other in WRONG_LOGOUTS.items()
        }
        for name, token in {**forged, **wrong}.items():
            data = {} if token is None else {"logout_token": token}
            refused = client.post("/auth/logout", data=data, headers={"Sec-Fetch-Site": "cross-site"})
            assert (refused.status_code, refused.json()["error"]) == (400, "invalid_request"), name
        time.sleep(0.25)
        assert not is_out(client)
        # A logout token must not sign anybody in.
        provider.forge = lambda tokens: {**tokens, **right}
        assert problem_of(sign_in(client, provider, "ada", "readers")) == "token"


def test_claims_of_another_provider_and_person_are_refused(provider: Provider, api_url: str) -> None:  # 43: forged
    provider.knows("ada", groups=["readers"])
    with browser(api_url) as client:
        address = provider.answers(begin(client), "ada")
        assert problem_of(come_back(client, f"{address}&iss=https://evil.example")) == "token"
        denied = parse_qs(urlsplit(begin(client)).query)["state"][0]
        assert problem_of(come_back(client, f"{api_url}/auth/callback?error=access_denied&state={denied}")) == "denied"
        assert is_out(client)


def test_an_expired_and_an_idle_session_is_out(provider: Provider, api_url: str) -> None:  # 43: expired
    for end in ("expires_at = now()", "seen_at = now() - interval '3 hours'"):
        with browser(api_url) as client:
            sign_in(client, provider, "ada", "readers")
            assert not is_out(client)
            changed(f"UPDATE person_sessions SET {end}")
            assert is_out(client)


def test_a_sign_in_that_takes_too_long_has_to_begin_again(provider: Provider, api_url: str) -> None:  # 43: expired
    provider.knows("ada", groups=["readers"])
    with browser(api_url) as client:
        address = provider.answers(begin(client), "ada")
        changed("UPDATE sign_ins SET created_at = now() - interval '1 hour'")
        assert problem_of(come_back(client, address)) == "state"


def test_removed_groups_take_their_rights_along(provider: Provider, api_url: str) -> None:  # 43: removed groups
    with browser(api_url) as client:
        sign_in(client, provider, "ada", "owners", "readers")
        assert client.get("/v1/me").json()["workspaces"] == [{"name": SHELF, "role": "owner"}]
        sign_in(client, provider, "ada", "readers")
        assert client.get("/v1/me").json()["workspaces"] == [{"name": SHELF, "role": "reader"}]
        sign_in(client, provider, "ada", "newcomers")
        assert client.get("/v1/me").json()["workspaces"] == []
        assert_problem(client.get("/v1/documents"), 403, "role_missing")
        # Of no group that may: no session, and the one before ends with what it allowed.
        before = dict(client.cookies)
        sign_in(client, provider, "ada", "owners")
        owner = dict(client.cookies)
        assert problem_of(sign_in(client, provider, "ada", "strangers")) == "nobody"
        time.sleep(0.25)
        for cookies in (before, owner):
            assert httpx.get(f"{api_url}/v1/documents", cookies=cookies).status_code in (401, 403)


def test_a_person_moves_to_another_tenant_without_what_they_had(provider: Provider, api_url: str) -> None:  # 43
    with browser(api_url) as client:
        sign_in(client, provider, "ada", "owners")
        sign_in(client, provider, "ada", "others")
        me = client.get("/v1/me").json()
        assert (me["everywhere"], me["workspaces"]) == ("admin", [])
        sign_in(client, provider, "ada", "newcomers")
        assert client.get("/v1/me").json()["everywhere"] == "none"


def test_groups_may_stand_at_the_userinfo_endpoint(
    provider: Provider, api_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # 43
    # As the provider puts groups into its token, one that lacks them is signed by a key that Citewell is told of.
    trust_our_key(monkeypatch)

    def without(tokens: Json, **other: Any) -> Json:
        claims = {claim: value for claim, value in _claims(tokens).items() if claim != "groups"}
        return {**tokens, "id_token": _signed({**claims, **other}, kid="known")}

    with browser(api_url) as client:
        provider.forge = without
        sign_in(client, provider, "ada", "readers")
        assert client.get("/v1/me").json()["workspaces"] == [{"name": SHELF, "role": "reader"}]
        provider.forge = lambda tokens: without(tokens, sub="somebody-else")
        assert problem_of(sign_in(client, provider, "ada", "readers")) == "token"


def test_an_unverified_address_is_not_kept(provider: Provider, api_url: str) -> None:  # 43
    provider.knows("ada", groups=["readers"], email="boss@example.com", email_verified=False)
    with browser(api_url) as client:
        come_back(client, provider.answers(begin(client), "ada"))
        assert client.get("/v1/me").json()["email"] is None


def test_a_session_counts_for_citewells_own_page_only(provider: Provider, api_url: str) -> None:  # 43: CSRF
    with browser(api_url) as client:
        sign_in(client, provider, "ada", "owners")
        foreign: list[dict[str, str]] = [
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": api_url.replace("127.0.0.1", "localhost")},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
        ]
        asked = {"question": "What?", "workspace": SHELF}
        for headers in foreign:
            for method, path, body in (
                ("GET", "/v1/queries", None),
                ("POST", "/v1/queries", asked),
                ("POST", "/auth/sign-out", None),
            ):
                refused = client.request(method, path, json=body, headers=headers)
                assert_problem(refused, 403, "foreign_page")
        cookies = dict(client.cookies)
        # A write has to say where it comes from; and the page's own origin is enough.
        assert_problem(httpx.post(f"{api_url}/v1/queries", json=asked, cookies=cookies), 403, "foreign_page")
        own = httpx.post(f"{api_url}/v1/queries", json=asked, cookies=cookies, headers={"Origin": api_url})
        assert own.status_code == 202, own.text


def test_without_a_provider_nothing_of_it_is_there(api_url: str, database: str) -> None:  # 43
    assert database
    with browser(api_url) as client:
        assert client.get("/auth/sign-in").status_code == 404
        assert client.post("/auth/sign-out").status_code == 404
        assert client.post("/auth/logout", data={"logout_token": "x"}).status_code == 404
        client.cookies.set("citewell_session", "x")
        assert client.get("/v1/me").json()["kind"] == "local"


@pytest.mark.parametrize(
    ("told", "problem"),
    [({"issuer": "https://evil.example"}, "provider"), ({"token_endpoint": "http://evil.example/"}, "provider")],
)
def test_a_provider_that_is_another_one_is_not_used(
    provider: Provider, api_url: str, told: Json, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:  # 43
    monkeypatch.setattr("clients.oidc.provider._kept", {})
    provider.discovery.update(told)
    try:
        with browser(api_url) as client:
            assert problem_of(client.get("/auth/sign-in")) == problem
    finally:
        provider.discovery.clear()
