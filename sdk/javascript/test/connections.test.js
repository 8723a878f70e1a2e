/** Servers that are busy, slow, cut the line or are no Citewell. Run by `node --test`. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import {
  ApiProblem,
  Busy,
  Citewell,
  Conflict,
  InputRefused,
  NotAllowed,
  NotFound,
  ServerUnreachable,
} from "../src/index.js";

const DONE = { id: "q", status: "succeeded" };
const busy = [503, { code: "overloaded", detail: "busy" }, { "Retry-After": "0" }];

/** Runs `act` with a client of a server that gives these replies one after the other, the last one again and again. */
async function served(replies, act, options) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const body = (await collected(request)).join("");
    asked.push({ method: request.method, url: request.url, headers: request.headers, body });
    const reply = replies[Math.min(asked.length, replies.length) - 1];
    if (typeof reply === "function") return reply(response, request);
    const [status, content, headers = {}] = reply;
    const type = status < 400 ? "application/json" : "application/problem+json";
    response.writeHead(status, { "Content-Type": type, ...headers }).end(JSON.stringify(content));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  try {
    return { result: await act(new Citewell({ url: `http://127.0.0.1:${server.address().port}`, ...options })), asked };
  } catch (error) {
    return { error, asked };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const event = (id, type, data) => `event: ${type}\ndata: ${JSON.stringify(data)}\n${id ? `id: ${id}\n` : ""}\n`;

/** A stream of events, which ends with a cut of the connection if it is not `whole`. */
const streamed =
  (text, { whole = true, step = Infinity } = {}) =>
  async (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += step) {
      response.write(bytes.subarray(at, at + step));
      await new Promise((go) => setTimeout(go, step === Infinity ? 20 : 0));
    }
    if (whole) response.end();
    else response.destroy();
  };

async function collected(items) {
  const list = [];
  for await (const item of items) list.push(item);
  return list;
}

test("a busy server is asked again, and a question that is sent again is the same question", async () => {
  const { result, asked } = await served([busy, busy, [202, DONE]], (client) =>
    client.submit("Why?", { workspace: "w" }),
  );
  assert.deepEqual(result, DONE);
  assert.equal(asked.length, 3);
  assert.deepEqual(JSON.parse(asked[2].body), { question: "Why?", workspace: "w" });
  assert.equal(new Set(asked.map(({ headers }) => headers["idempotency-key"])).size, 1);
  assert.ok(asked[0].headers["idempotency-key"].length >= 20);
});

test("three tries are enough, and what could happen twice is sent once", async () => {
  const read = await served([busy], (client) => client.query("q"));
  assert.ok(read.error instanceof Busy);
  assert.equal(read.asked.length, 3);
  const made = await served([busy], (client) => client.workspaces.create("w"));
  assert.equal(made.error.code, "overloaded");
  assert.equal(made.asked.length, 1);
});

test("a wait that is longer than a minute is left to the caller", async () => {
  const later = [429, { code: "quota", detail: "later" }, { "Retry-After": "61" }];
  const { error, asked } = await served([later], (client) => client.query("q"));
  assert.equal(error.retryAfter, 61);
  assert.equal(asked.length, 1);
});

test("while the time of a wait lasts, a server that names a time is asked on", async () => {
  const { result, asked } = await served([...Array(5).fill(busy), [200, DONE]], (client) =>
    client.wait("q", { wait: 30 }),
  );
  assert.equal(result.status, "succeeded");
  assert.equal(asked.length, 6);
});

test("a refusal has the type of its status", async () => {
  const kinds = [
    [401, NotAllowed],
    [403, NotAllowed],
    [404, NotFound],
    [409, Conflict],
    [413, InputRefused],
    [422, InputRefused],
    [500, ApiProblem],
  ];
  for (const [status, Kind] of kinds) {
    const { error } = await served([[status, { code: "no", detail: "because" }]], (client) => client.cancel("q"));
    assert.equal(error.constructor, Kind);
    assert.deepEqual([error.status, error.code, error.message, error.name], [status, "no", "because", Kind.name]);
  }
});

test("what is no Citewell is told apart", async () => {
  const page = (response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<html>");
  const failing = (response) => response.writeHead(502).end("bad gateway");
  for (const reply of [page, failing]) {
    const { error } = await served([reply], (client) => client.query("q"));
    assert.equal(error.code, "not_citewell");
  }
  const { error, asked } = await served([page], (client) => collected(client.events("q")));
  assert.equal(error.code, "not_citewell");
  assert.equal(asked.length, 1);
});

test("a server that is away or silent is named", async () => {
  const away = await new Citewell({ url: "http://127.0.0.1:9" }).cancel("q").catch((error) => error);
  assert.ok(away instanceof ServerUnreachable && away.passing);
  assert.match(away.message, /cannot reach a server at http:\/\/127\.0\.0\.1:9 \(/);
  const { error, asked } = await served([() => {}], (client) => client.query("q"), { timeout: 0.1 });
  assert.ok(error instanceof ServerUnreachable && !error.passing);
  assert.match(error.message, /no answer in 0.1 s/);
  assert.equal(asked.length, 1);
});

test("a broken connection is tried again", async () => {
  const broken = (response) => response.destroy();
  const { result, asked } = await served([broken, [200, DONE]], (client) => client.query("q"));
  assert.deepEqual(result, DONE);
  assert.equal(asked.length, 2);
});

test("the caller's signal ends a request, a pause and a stream", async () => {
  const slow = [503, { code: "busy", detail: "busy" }, { "Retry-After": "50" }];
  for (const reply of [() => {}, slow]) {
    const { error } = await served([reply], (client) => client.query("q", { signal: AbortSignal.timeout(100) }));
    assert.equal(error.name, "TimeoutError");
  }
  const reason = new Error("enough");
  const abort = new AbortController();
  const endless = (response) =>
    response.writeHead(200, { "Content-Type": "text/event-stream" }).write(event(1, "stage", {}));
  const { error } = await served([endless], async (client) => {
    for await (const { id } of client.events("q", { signal: abort.signal })) if (id === 1) abort.abort(reason);
  });
  assert.equal(error, reason);
});

test("a stream is joined over connections that are cut: every event once, in order", async () => {
  const draft = "– 한국어 😀\u2028";
  const told = [
    event(1, "stage", { stage: "a" }),
    event(2, "draft", { text: draft }),
    event(3, "final", { query: DONE }),
  ];
  const first = `retry: 1\n\n: alive\n\n${told[0]}${told[1]}`;
  const replies = [
    streamed(first, { whole: false }),
    streamed(told[1] + told[2].slice(0, 9)),
    streamed(told.join(""), { step: 1 }),
  ];
  const { result, asked } = await served(replies, (client) => collected(client.events("q")));
  assert.deepEqual(
    result.map(({ id, type }) => [id, type]),
    [
      [1, "stage"],
      [2, "draft"],
      [3, "final"],
    ],
  );
  assert.equal(result[1].data.text, draft);
  assert.deepEqual(
    asked.map(({ headers }) => headers["last-event-id"]),
    [undefined, "2", "2"],
  );
});

test("a stream that only closes is given up, and one with nothing left ends", async () => {
  const { error, asked } = await served([streamed("")], (client) => collected(client.events("q")));
  assert.match(error.message, /without the last one/);
  assert.equal(asked.length, 3);
  const nothing = (response) => response.writeHead(204).end();
  assert.deepEqual((await served([nothing], (client) => collected(client.events("q")))).result, []);
});

test("the sentences of an answer are those that passed, as they passed", async () => {
  const passed = (id, type, sentence, more) => event(id, type, { round: 0, sentence, text: `S${sentence}.`, ...more });
  const told = [
    passed(1, "sentence.verified", 1, { citations: [] }),
    event(2, "sentence.failed", { round: 0, sentence: 0, text: "Wrong." }),
    passed(3, "sentence.repaired", 0, { how: "rewritten" }),
    event(4, "final", { query: DONE }),
  ];
  const { result } = await served([[202, { id: "q" }], streamed(told.join(""))], async (client) => {
    const stream = client.stream("Why?");
    return { sentences: await collected(stream), stream };
  });
  assert.deepEqual(
    result.sentences.map(({ text, how }) => [text, how]),
    [
      ["S1.", undefined],
      ["S0.", "rewritten"],
    ],
  );
  assert.deepEqual([result.stream.id, result.stream.query], ["q", DONE]);
});

test("lists are read page by page, up to the limit", async () => {
  const page = (names, next_cursor) => [200, { workspaces: names.map((name) => ({ name })), next_cursor }];
  const list = (limit) => (client) => collected(client.workspaces.list({ limit }));
  const { result, asked } = await served([page(["a", "b"], "x"), page(["c"], null)], list());
  assert.deepEqual(
    result.map(({ name }) => name),
    ["a", "b", "c"],
  );
  assert.deepEqual(
    asked.map(({ url }) => url),
    ["/v1/workspaces?limit=100", "/v1/workspaces?limit=100&cursor=x"],
  );
  assert.equal((await served([page(["a", "b"], "x")], list(1))).result.length, 1);
  assert.equal((await served([page(["a"], null)], list(0))).asked.length, 0);
});

test("ids stand in the path as they are, and none leads elsewhere", async () => {
  const { asked } = await served([[200, {}]], (client) => client.workspaces.get("a/b c?"));
  assert.equal(asked[0].url, "/v1/workspaces/a%2Fb%20c%3F");
  for (const id of ["", "..", undefined, null]) {
    const refused = await served([[200, {}]], (client) => client.query(id));
    assert.ok(refused.error instanceof TypeError);
    assert.equal(refused.asked.length, 0);
  }
});

test("what cannot be sent is refused before it is", async () => {
  for (const url of ["localhost", "localhost:8000", ""])
    assert.throws(() => new Citewell({ url }), /no address of a server/);
  assert.throws(() => new Citewell({ key: "cw_1\n" }), /characters that no key has/);
  const { error, asked } = await served([[200, {}]], (client) => client.upload("text"));
  assert.match(error.message, /has no name/);
  const unknown = await served([[200, {}]], (client) => client.call("no_operation"));
  assert.match(unknown.error.message, /no operation no_operation/);
  assert.equal(asked.length + unknown.asked.length, 0);
});

test("key and priority are sent with every request", async () => {
  const options = { key: "cw_1", priority: "batch" };
  const { asked } = await served([[200, DONE]], (client) => client.query("q"), options);
  assert.equal(asked[0].headers.authorization, "Bearer cw_1");
  assert.equal(asked[0].headers["citewell-priority"], "batch");
});
