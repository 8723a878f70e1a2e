"""The simulated provider over HTTP: `with GroqSimulator() as sim:` in a test, `python -m tests.simulators.groq` as a
process of its own."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from aiohttp import web
from pydantic import TypeAdapter

from tests.simulators.groq import errors
from tests.simulators.groq.catalogue import GONE, ModelSpec
from tests.simulators.groq.delivery import FOR_EVER_S, broken, drip, open_stream, pad, proxy_page, told, whole
from tests.simulators.groq.faults import Fault, FaultKind, FaultPlan
from tests.simulators.groq.latency import LatencyModel
from tests.simulators.groq.ledger import Ledger
from tests.simulators.groq.provider import Account, Prepared, Provider
from tests.simulators.groq.wire import event
from tests.simulators.running import AsyncServer

KEY = "gsk_simulated"
_PREFIX = "/openai/v1"
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
_FAULTS = TypeAdapter(list[Fault])


class GroqSimulator(AsyncServer):
    """A provider on a free port of 127.0.0.1, in its own thread.

    `time_scale` multiplies every simulated delay: 0 answers at once, 1 is as slow as the real one. `accounts` maps API
    keys to organisations with their limits. `gone` are the models that answer 404. `cached_tokens` switches on the
    prompt cache; it serves beginnings of at least `least_cached` tokens that were read when a call arrives. Without
    `usage_in_x_groq` a stream reports its usage only on request by `stream_options`.
    """

    def __init__(
        self,
        *,
        time_scale: float = 0.0,
        seed: int = 0,
        port: int = 0,
        accounts: Mapping[str, Account] | None = None,
        gone: Iterable[str] = GONE,
        latency: LatencyModel | None = None,
        cached_tokens: bool = False,
        least_cached: int = 0,
        usage_in_x_groq: bool = True,
    ) -> None:
        super().__init__("groq-simulator")
        self.provider = Provider(
            accounts or {KEY: Account("org_simulated")},
            seed=seed,
            gone=frozenset(gone),
            latency=latency or LatencyModel(),
            cached_tokens=cached_tokens,
            least_cached=least_cached,
        )
        self._time_scale = time_scale
        self._usage_in_x_groq = usage_in_x_groq
        self._port = port
        self._goes_on = threading.Event()

    @property
    def base_url(self) -> str:
        """The value for GROQ_BASE_URL."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def ledger(self) -> Ledger:
        return self.provider.ledger

    @property
    def faults(self) -> FaultPlan:
        return self.provider.plan

    def fail(self, *faults: Fault | FaultKind) -> None:
        """Plan faults; a bare kind hits the next call, so that several of them form a script."""
        planned = [fault if isinstance(fault, Fault) else Fault(kind=fault) for fault in faults]
        self.provider.plan.faults.extend(planned)

    def go_on(self) -> None:
        """Let models write the second half of their answers."""
        self._goes_on.set()

    def reset(self) -> None:
        """Forget all calls and faults, including calls that were abandoned before they were read here."""
        if self._loop and self._thread.is_alive() and threading.current_thread() is not self._thread:
            asyncio.run_coroutine_threadsafe(_read_all(), self._loop).result(60)
        self._goes_on.clear()
        self.provider.reset()

    async def _serve(self) -> None:
        runner = web.AppRunner(self._app(), access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", self._port, backlog=1024)
        await site.start()
        self._port = runner.addresses[0][1]
        try:
            await self._serve_until_stopped()
        finally:
            await runner.cleanup()

    def _app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 2**20, middlewares=[_as_json_error])
        app.add_routes(
            [
                web.post(f"{_PREFIX}/chat/completions", self._chat),
                web.get(f"{_PREFIX}/models", self._models),
                web.get(f"{_PREFIX}/models/{{id:.+}}", self._model),
                web.get("/__ledger", self._get_ledger),
                web.post("/__faults", self._post_faults),
                web.post("/__reset", self._post_reset),
                web.route("*", "/{path:.*}", _nowhere),
            ]
        )
        return app

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        account = self.provider.account(request.headers.get("authorization", ""))
        self.provider.enter()
        try:
            prepared = self.provider.prepare(account, await request.read())
            headers = {"x-request-id": prepared.answer.request_id, "x-groq-region": "sim"} | prepared.meter.headers()
            headers |= prepared.fault.headers if prepared.fault else {}
            try:
                response = await self._respond(request, prepared, headers)
                prepared.entry.left = time.time()
                return response
            finally:
                answer = prepared.answer
                used = answer.prompt_tokens - answer.cached_tokens + answer.completion_tokens
                prepared.meter.settle(prepared.reserved, used)
        finally:
            self.provider.leave()

    async def _respond(self, request: web.Request, prepared: Prepared, headers: dict[str, str]) -> web.StreamResponse:
        if page := proxy_page(prepared):
            return page
        if prepared.spoilt_by(FaultKind.HANG):
            await asyncio.sleep(FOR_EVER_S)
        if prepared.spoilt_by(FaultKind.DRIP):
            return await drip(request, prepared, headers)
        await self._pause(prepared.answer.timing.until_read_s)
        self.provider.has_read(prepared)
        await self._pause(prepared.answer.timing.reasoning_s)
        if prepared.call.request.stream:
            return await self._stream(request, prepared, headers)
        await self._pause(prepared.answer.completion_tokens * prepared.answer.timing.per_token_s)
        return await whole(request, prepared, headers)

    async def _stream(self, request: web.Request, prepared: Prepared, headers: dict[str, str]) -> web.StreamResponse:
        response = await open_stream(request, headers)
        wanted = prepared.call.request.stream_options.include_usage
        chunks = list(prepared.answer.chunks(include_usage=wanted, usage_in_x_groq=self._usage_in_x_groq))
        loop = asyncio.get_running_loop()
        due = loop.time()
        for index, (tokens, chunk) in enumerate(chunks):
            if prepared.fault and index == len(chunks) // 2:
                if await broken(request, response, prepared):
                    return response
                while prepared.spoilt_by(FaultKind.SAYING) and not self._goes_on.is_set():
                    await asyncio.sleep(0.01)
            due += tokens * prepared.answer.timing.per_token_s * self._time_scale
            if self._time_scale:
                await asyncio.sleep(max(0.0, due - loop.time()))
            _note(prepared, chunk)
            await response.write(event(told(prepared, chunk)))
        if prepared.spoilt_by(FaultKind.HUGE, FaultKind.ENDLESS):
            await pad(response, prepared)
        await response.write(b"data: [DONE]\n\n")
        return response

    async def _pause(self, seconds: float) -> None:
        if self._time_scale:
            await asyncio.sleep(seconds * self._time_scale)

    async def _models(self, request: web.Request) -> web.Response:
        self.provider.account(request.headers.get("authorization", ""))
        data = [_described(name, spec) for name, spec in self.provider.served.items()]
        return web.json_response({"object": "list", "data": data})

    async def _model(self, request: web.Request) -> web.Response:
        self.provider.account(request.headers.get("authorization", ""))
        name = request.match_info["id"]
        if name not in self.provider.served:
            raise errors.model_not_found(name)
        return web.json_response(_described(name, self.provider.served[name]))

    async def _get_ledger(self, _request: web.Request) -> web.Response:
        return web.json_response(self.ledger.as_json())

    async def _post_faults(self, request: web.Request) -> web.Response:
        self.fail(*_FAULTS.validate_json(await request.read()))
        return web.json_response({"faults": len(self.faults.faults)})

    async def _post_reset(self, _request: web.Request) -> web.Response:
        self.reset()
        return web.json_response({})


def _note(prepared: Prepared, chunk: Mapping[str, Any]) -> None:
    """Record when a piece of text leaves."""
    written = prepared.entry.written
    if piece := next((choice["delta"].get("content") for choice in chunk["choices"]), None):
        written.append((time.time(), (written[-1][1] if written else 0) + len(piece)))


async def _read_all() -> None:
    # Accepting, reading and starting a connection takes a few turns of the loop.
    for _ in range(20):
        await asyncio.sleep(0)


@web.middleware
async def _as_json_error(request: web.Request, handler: _Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except errors.ApiError as error:
        return web.json_response(error.body(), status=error.status, headers=error.headers)


async def _nowhere(request: web.Request) -> web.Response:
    raise errors.unknown_url(request.method, request.path)


def _described(name: str, spec: ModelSpec) -> dict[str, object]:
    return {
        "id": name,
        "object": "model",
        "created": 1_754_408_224,
        "owned_by": spec.owner,
        "active": True,
        "context_window": spec.context_window,
        "max_completion_tokens": spec.max_completion,
    }
