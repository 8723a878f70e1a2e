/** Sends the operations of the API, with retries where these help. */
import { operations } from "./api.js";
import { notCitewell, problemOf } from "./errors.js";
import { Patience, Retries, pause } from "./waiting.js";

const LOCAL = "http://127.0.0.1:8000";

export class Connection {
  #fetch;
  #headers;
  #timeout;

  /** `url` is by default the origin of the page, elsewhere that of `citewell up`. */
  constructor({
    url = globalThis.location?.origin ?? LOCAL,
    key,
    timeout = 30,
    priority,
    fetch = globalThis.fetch,
  } = {}) {
    this.url = addressOf(url);
    this.#timeout = timeout;
    // A browser's fetch must not be called as a method of another object.
    this.#fetch = (...request) => fetch(...request);
    this.#headers = new Headers();
    if (key && !/^[\x21-\x7e]+$/.test(key)) throw new TypeError("the key has characters that no key has");
    if (key) this.#headers.set("Authorization", `Bearer ${key}`);
    if (priority) this.#headers.set("Citewell-Priority", priority);
  }

  /** Call an operation by its name; see `Operations` in api.d.ts. A `wait` is added to the time that the server has. */
  async call(name, parameters = {}, { body, signal, idempotencyKey, deadline } = {}) {
    const operation = operations[name];
    if (!operation || operation.reads === "events") throw new TypeError(`there is no operation ${name}`);
    const { path, query } = placed(operation.path, parameters);
    const headers = { ...(operation.keyed && { "Idempotency-Key": idempotencyKey ?? randomKey() }) };
    const request = { method: operation.method, path: path + query, headers, signal, wait: parameters.wait ?? 0 };
    const retries = new Retries(operation.method === "GET" || operation.keyed, deadline);
    for (;;) {
      try {
        return await this.#answer({ ...request, ...encoded(body, operation, headers) }, operation.reads ?? "json");
      } catch (error) {
        await pause(retries.pauseAfter(error), signal);
      }
    }
  }

  /** Send a request once; return the successful response, unread, and the time limit for reading it. */
  async open({ method = "GET", path, headers, body, signal, wait = 0 }) {
    const patience = new Patience(this.#timeout + wait, signal);
    try {
      const sent = new Headers(this.#headers);
      for (const [name, value] of Object.entries(headers)) sent.set(name, value);
      const request = { method, headers: sent, body, signal: patience.signal, cache: "no-store" };
      const response = await this.#fetch(this.url + path, request);
      if (!response.ok) throw await problemOf(response);
      return { response, patience };
    } catch (error) {
      patience.end();
      throw patience.explained(error, this.url);
    }
  }

  async #answer(request, reads) {
    const { response, patience } = await this.open(request);
    try {
      return await read(response, response.status === 204 ? "nothing" : reads);
    } catch (error) {
      throw patience.explained(error, this.url);
    } finally {
      patience.end();
    }
  }
}

function addressOf(url) {
  try {
    const { href, protocol } = new URL(url);
    if (/^https?:$/.test(protocol)) return href.replace(/\/+$/, "");
  } catch {
    // Reported below, like any other invalid address.
  }
  throw new TypeError(`${JSON.stringify(url)} is no address of a server; it looks like http://host:8000`);
}

/** The path with its parameters in their places, and the query string of the others. */
function placed(template, parameters) {
  const others = new URLSearchParams();
  const inPath = new Set([...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  for (const [name, value] of Object.entries(parameters)) {
    if (!inPath.has(name) && value !== undefined && value !== null) others.set(name, value);
  }
  const path = template.replace(/\{(\w+)\}/g, (_, name) => {
    if (typeof parameters[name] !== "string" && typeof parameters[name] !== "number")
      throw new TypeError(`${name} is missing`);
    if (/^\.{0,2}$/.test(parameters[name]))
      throw new TypeError(`${name} cannot be ${JSON.stringify(parameters[name])}`);
    return encodeURIComponent(parameters[name]);
  });
  return { path, query: `${others}` && `?${others}` };
}

function encoded(body, operation, headers) {
  if (body === undefined) return {};
  if (body instanceof FormData) return { body };
  if (operation.sends === "lines") {
    const lines = body.map((line) => `${JSON.stringify(line)}\n`).join("");
    return { body: lines, headers: { ...headers, "Content-Type": "application/jsonl" } };
  }
  return { body: JSON.stringify(body), headers: { ...headers, "Content-Type": "application/json" } };
}

async function read(response, reads) {
  if (reads === "nothing") return null;
  if (reads === "text") return response.text();
  if (reads === "blob") return response.blob();
  const text = await response.text();
  try {
    return reads === "lines"
      ? text
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : JSON.parse(text);
  } catch {
    throw notCitewell(response);
  }
}

/** Unique, not secret; browsers offer randomUUID over HTTPS only. */
function randomKey() {
  const number = () => Math.floor(Math.random() * 2 ** 32).toString(36);
  return globalThis.crypto?.randomUUID?.() ?? [Date.now().toString(36), number(), number(), number()].join("-");
}
