/** Messages of webhooks: those that Citewell signed are accepted, and no others. Run by `node --test`. */
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { verifyWebhook, WebhookInvalid, WebhookSecretInvalid } from "../src/index.js";

const NOW = 1_790_000_000;
const BODY = '{"type":"query.succeeded","data":{"id":"1","answer":"30일 이내입니다."}}';
const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`;
const [SECRET, OLD] = [newSecret(), newSecret()];
const signature = (secret, body = BODY, id = "msg_1", at = NOW) =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice(6), "base64"))
    .update(`${id}.${at}.${body}`)
    .digest("base64")}`;
const headers = (changes = {}) => ({
  "webhook-id": "msg_1",
  "webhook-timestamp": String(NOW),
  "webhook-signature": signature(SECRET),
  ...changes,
});
const check = (given = headers(), { body = BODY, secret = SECRET, ...options } = {}) =>
  verifyWebhook(body, given, secret, { now: NOW, ...options });
const refused = (why, ...given) =>
  assert.rejects(check(...given), (error) => error instanceof WebhookInvalid && why.test(error.message));

test("the example of the specification is accepted", async () => {
  const given = new Headers({
    "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "Webhook-Timestamp": "1614265330",
    "Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
  const payload = await verifyWebhook('{"test": 2432232314}', given, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", {
    now: 1614265330,
  });
  assert.deepEqual(payload, { test: 2432232314 });
});

test("the body may be text or bytes, and headers those of fetch, of Node or a map", async () => {
  const bytes = Buffer.from(`..${BODY}`).subarray(2);
  for (const body of [BODY, bytes, new Uint8Array(bytes), new TextEncoder().encode(BODY).buffer]) {
    for (const given of [headers(), new Headers(headers()), new Map(Object.entries(headers()))])
      assert.deepEqual(await check(given, { body }), JSON.parse(BODY));
  }
});

test("a change of any character is noticed", async () => {
  for (let at = 0; at < BODY.length; at += 1) {
    const body = `${BODY.slice(0, at)}${BODY[at] === "x" ? "y" : "x"}${BODY.slice(at + 1)}`;
    await refused(/no signature fits/, headers(), { body });
  }
  await refused(/no signature fits/, headers({ "webhook-id": "msg_2" }));
  await refused(/no signature fits/, headers({ "webhook-timestamp": String(NOW + 1) }));
  await refused(/no signature fits/, headers({ "webhook-signature": signature(OLD) }));
});

test("one signature of several is enough, in any order, and one secret of several", async () => {
  for (const both of [
    `${signature(SECRET)} ${signature(OLD)}`,
    `${signature(OLD)} ${signature(SECRET)}`,
    `v2,abc v1,??? ${signature(SECRET)}`,
  ]) {
    assert.ok(await check(headers({ "webhook-signature": both })));
  }
  assert.ok(await check(headers({ "webhook-signature": signature(OLD) }), { secret: [SECRET, OLD] }));
  await refused(/no signature fits/, headers({ "webhook-signature": `v1a,${signature(SECRET).slice(3)}` }));
  await refused(/no signature fits/, headers({ "webhook-signature": signature(SECRET).slice(3) }));
});

test("messages older or newer than five minutes are refused", async () => {
  for (const age of [-300, 0, 300]) assert.ok(await check(headers(), { now: NOW + age }));
  await refused(/301 s ago, 300 s are allowed/, headers(), { now: NOW + 301 });
  await refused(/301 s in the future/, headers(), { now: NOW - 301 });
  await refused(/10 s are allowed/, headers(), { now: NOW + 11, tolerance: 10 });
  await refused(/no Unix time/, headers({ "webhook-timestamp": "soon" }));
  await refused(/no Unix time/, headers({ "webhook-timestamp": "-1" }));
});

test("what is missing is named", async () => {
  await refused(/no webhook-id and no webhook-signature/, { "webhook-timestamp": String(NOW) });
  await refused(/no webhook-id/, null);
  await refused(/a dot/, headers({ "webhook-id": "a.b" }));
});

test("a genuine message without an object is told apart", async () => {
  for (const body of ["[]", "null", "1", "{", ""])
    await refused(/genuine/, headers({ "webhook-signature": signature(SECRET, body) }), { body });
});

test("what is no secret is refused without repeating it", async () => {
  for (const secret of ["", "whsec_", "whsec_abc", SECRET.slice(6), "whsec_????", null, []]) {
    await assert.rejects(
      check(headers(), { secret }),
      (error) => error instanceof WebhookSecretInvalid && !error.message.includes("abc"),
    );
  }
});
