"""Sign-in at the identity provider, and sign-out, for browsers and the provider. These routes need no key, and other
programs never call them.

Every route leads back to the page: its address comes from `public_url`, and only the part after its # comes from a
request.
"""

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from api.http import browsers as cookies
from clients import rate_limits
from config.settings import settings
from domain.errors.requests import SignInFailed
from services.people import sessions, sign_in

router = APIRouter(prefix="/auth", include_in_schema=False)

_MOST_PER_MINUTE = 600
"""The most sign-in requests from one address, which may be that of a whole company."""
_PROBLEM_PLACE = "/sign-in"
_NO_STORE = {"Cache-Control": "no-store"}


@router.get("/sign-in", name="begin_sign_in")
def begin(request: Request, next: Annotated[str, Query(max_length=300)] = "") -> Response:
    """Send the browser to the provider."""
    _check(request)
    try:
        begun = sign_in.begin_sign_in(next)
    except SignInFailed as error:
        return _back(_problem(error))
    response = RedirectResponse(begun.url, 303, headers=_NO_STORE)
    cookies.keep_cookie(response, cookies.BEGUN, begun.browser)
    return response


@router.get("/callback", name="end_sign_in")
def end(request: Request) -> Response:
    """Finish the sign-in when the provider has sent the browser back."""
    _check(request)
    # A parameter that occurs twice is ignored.
    answered = {
        name: values[0] for name in request.query_params if len(values := request.query_params.getlist(name)) == 1
    }
    try:
        signed_in = sign_in.end_sign_in(answered, cookies.begun_token(request), cookies.session_token(request))
    except SignInFailed as error:
        response = _back(_problem(error))
    else:
        response = _back(signed_in.place)
        cookies.keep_cookie(response, cookies.SESSION, signed_in.token)
    cookies.forget_cookie(response, cookies.BEGUN)
    return response


@router.post("/sign-out", name="sign_out")
def sign_out(request: Request) -> Response:
    """End the session here; `url` is the address to end the session at the provider, too, or null."""
    _require_people()
    cookies.require_own_page(request.scope)
    if token := cookies.session_token(request):
        sessions.end_session(token)
    response = JSONResponse({"url": sessions.provider_sign_out()}, headers=_NO_STORE)
    cookies.forget_cookie(response, cookies.SESSION)
    return response


@router.post("/logout", name="end_sessions_by_provider")
def end_by_provider(request: Request, logout_token: Annotated[str, Form()] = "") -> Response:
    """A message of the provider that a person has signed out there (OpenID Connect Back-Channel Logout 1.0)."""
    _check(request)
    try:
        sessions.end_sessions_by_provider(logout_token)
    except SignInFailed as error:
        told = {"error": "invalid_request", "error_description": error.reason}
        return JSONResponse(told, 400, headers=_NO_STORE)
    return Response(headers=_NO_STORE)


def _check(request: Request) -> None:
    _require_people()
    address = request.client.host if request.client else ""
    window = rate_limits.count(f"sign-in:{address}", _MOST_PER_MINUTE, settings().redis_url.get_secret_value())
    if not window.allowed:
        detail = f"Too many sign-ins from this address; try again in {window.resets_in_s} seconds."
        raise HTTPException(429, detail, headers={"Retry-After": str(window.resets_in_s)})


def _require_people() -> None:
    if not settings().has_people:
        raise HTTPException(404)


def _problem(error: SignInFailed) -> str:
    return f"{_PROBLEM_PLACE}?{urlencode({'problem': error.reason})}"


def _back(place: str) -> Response:
    return RedirectResponse(f"{(settings().public_url or '').rstrip('/')}/#{place}", 303, headers=_NO_STORE)
