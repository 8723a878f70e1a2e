/** Requests to the API this page comes from. */
import { language } from "./i18n.js";
import { storedKey } from "./key.js";

/** What reads the API's English in the language of the page; null where that is English. */
export const messages = () => (language() === "ko" ? import("./messages.js") : null);

/** `json` of the API with its texts in the language of the page. */
export async function inLanguage(json) {
  const reader = await messages();
  return reader ? reader.inLanguage(json) : json;
}

/**
 * An error that the API explained (RFC 9457): `status`, `code`, `message` (what to do), `fields`, `retryAfter` in
 * seconds.
 */
export class Problem extends Error {
  constructor(status, body, retryAfter) {
    super(body.detail || body.title || `HTTP ${status}`);
    this.status = status;
    this.code = body.code || "unknown";
    this.fields = body.errors || [];
    this.retryAfter = retryAfter;
  }
}

/** Ask the API; the parsed JSON, or null where there is none. Throws Problem, and TypeError when the server is away. */
export async function ask(path, { method = "GET", json, form, headers = {}, signal } = {}) {
  const response = await send(path, { method, json, form, headers, signal });
  if (response.status === 204) return null;
  return inLanguage(await response.json());
}

/** The same, with the response itself, for a caller that reads it as it arrives. */
export async function send(path, { method = "GET", json, form, headers = {}, signal } = {}) {
  const sent = new Headers(headers);
  // A person asks here: before the scripts of the same tenant.
  sent.set("Citewell-Priority", "interactive");
  const key = storedKey();
  if (key) sent.set("Authorization", `Bearer ${key}`);
  if (json !== undefined) sent.set("Content-Type", "application/json");
  const body = json !== undefined ? JSON.stringify(json) : form;
  const request = { method, headers: sent, body, signal, cache: "no-store" };
  const response = await fetch(address(path), request);
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** The address of a path of the API, also where a proxy shows it below a path of its own. */
export const address = (path) => new URL(path.replace(/^\//, ""), document.baseURI).href;

/** `path` with those of `values` that say something, as its query string. */
export function withQuery(path, values) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== "" && value !== null && value !== undefined) search.set(name, value);
  }
  return search.size ? `${path}?${search}` : path;
}

/** The error that a response explains. */
export async function problemOf(response) {
  const body = await inLanguage(await response.json().catch(() => ({})));
  return new Problem(response.status, body, Number(response.headers.get("Retry-After")) || null);
}
