/** For receivers of webhooks: verifies that a message is from Citewell (Standard Webhooks 1.0.0, symmetric). */
import { WebhookInvalid, WebhookSecretInvalid } from "./errors.js";

const NAMES = ["webhook-id", "webhook-timestamp", "webhook-signature"];
const PREFIX = "whsec_";
const [SHORTEST, LONGEST] = [24, 64]; // bytes of a key
const HMAC = { name: "HMAC", hash: "SHA-256" };

export async function verifyWebhook(body, headers, secret, { tolerance = 300, now = Date.now() / 1000 } = {}) {
  const { subtle } = globalThis.crypto ?? (await import("node:crypto")).webcrypto; // for Node 18
  const secrets = Array.isArray(secret) ? secret : [secret];
  if (!secrets.length) throw new WebhookSecretInvalid();
  const keys = await Promise.all(
    secrets.map((encoded) => subtle.importKey("raw", keyOf(encoded), HMAC, false, ["verify"])),
  );
  const [id, timestamp, signatures] = signedFields(headers);
  checkAge(timestamp, tolerance, now);
  const content =
    typeof body === "string"
      ? new TextEncoder().encode(body)
      : new Uint8Array(body.buffer ?? body, body.byteOffset ?? 0, body.byteLength);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), content);
  const given = signatures.split(" ").map(signatureOf).filter(Boolean);
  // `verify` takes the same time for every signature, and checks all of them even when one has matched.
  const fits = await Promise.all(
    keys.flatMap((key) => given.map((signature) => subtle.verify(HMAC.name, key, signature, signed))),
  );
  if (!fits.includes(true))
    throw new WebhookInvalid("no signature fits: another secret, or the message was changed on its way");
  return objectIn(content);
}

function keyOf(secret) {
  const key = typeof secret === "string" && secret.startsWith(PREFIX) ? bytesOf(secret.slice(PREFIX.length)) : null;
  if (!key || key.length < SHORTEST || key.length > LONGEST) throw new WebhookSecretInvalid();
  return key;
}

/** The headers of `fetch`, of Node, or any object with them. */
function signedFields(headers) {
  const entries = typeof headers?.entries === "function" ? [...headers.entries()] : Object.entries(headers ?? {});
  const given = new Map(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
  const missing = NAMES.filter((name) => !given.get(name));
  if (missing.length) throw new WebhookInvalid(`the message has no ${missing.join(" and no ")}`);
  // A dot separates the signed parts, so a dot in an id would let one message pass for another.
  if (given.get("webhook-id").includes(".")) throw new WebhookInvalid("webhook-id has a dot in it");
  return NAMES.map((name) => given.get(name));
}

function checkAge(timestamp, tolerance, now) {
  if (!/^[0-9]{1,12}$/.test(timestamp)) throw new WebhookInvalid("webhook-timestamp is no Unix time in seconds");
  const age = now - Number(timestamp);
  if (Math.abs(age) <= tolerance) return;
  const when = age > 0 ? "ago" : "in the future";
  throw new WebhookInvalid(`the message was signed ${Math.round(Math.abs(age))} s ${when}, ${tolerance} s are allowed`);
}

const signatureOf = (text) => (text.startsWith("v1,") ? bytesOf(text.slice(3)) : null);

/** Null for a text that is not base64 in its canonical form. */
function bytesOf(base64) {
  try {
    const text = atob(base64);
    return btoa(text) === base64 ? Uint8Array.from(text, (sign) => sign.charCodeAt(0)) : null;
  } catch {
    return null;
  }
}

function joined(first, second) {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function objectIn(content) {
  let payload = null;
  try {
    payload = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
  } catch {
    // Reported below.
  }
  if (typeof payload !== "object" || payload === null || Array.isArray(payload))
    throw new WebhookInvalid("the message is genuine, but its body is no JSON object");
  return payload;
}
