/** Keys: the one this page uses, and those of the tenant: made, shown once, revoked. */
import { h, show } from "../dom.js";
import { address, problemOf } from "../http.js";
import { words } from "../i18n.js";
import { forgetKey, isKept, storeKey, storedKey } from "../key.js";
import { apiKeys } from "../parts/api_keys.js";
import { notice, trouble } from "../parts/notices.js";

const t = words("pages/keys");

const SCOPES = ["read", "ask", "documents", "review", "webhooks", "admin"];

export async function page(view, { signal }) {
  const keys = apiKeys({
    path: "/v1/keys",
    scopes: SCOPES,
    title: t("make"),
    list: t("list"),
    hint: t("nameHint"),
    ...limits(),
    signal,
  });
  const readiness = h("p", { class: "muted" });
  show(view, h("h1", {}, t("title")), readiness, ownKey(keys.load), keys.element);
  await Promise.all([keys.load(), required(signal).then((needed) => readiness.append(t(needed ? "required" : "off")))]);
}

/** Fields for how long a key lasts, and how much it may ask. */
function limits() {
  const [days, limit] = [3650, 1_000_000].map((max) =>
    h("input", { type: "number", min: "1", max: String(max), inputmode: "numeric" }),
  );
  return {
    more: h(
      "div",
      { class: "sieve top-aligned" },
      h("label", {}, t("days"), days, h("span", { class: "hint" }, t("daysHint"))),
      h("label", {}, t("limit"), limit, h("span", { class: "hint" }, t("limitHint"))),
    ),
    given: () => ({
      expires_in_days: Number(days.value) || null,
      requests_per_minute: Number(limit.value) || null,
    }),
  };
}

/** Whether keys are asked for; what is not ready yet says so, too, with a 503 that `ask` would throw. */
async function required(signal) {
  const response = await fetch(address("/readyz"), { signal, cache: "no-store" });
  return (await response.json()).keys === "required";
}

function ownKey(changed) {
  const field = h("input", {
    type: "password",
    class: "mono",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    placeholder: "cw_…",
  });
  const keep = h("input", { type: "checkbox", checked: isKept() });
  const now = h("p", { role: "status" });
  const problem = h("div");
  const forget = h(
    "button",
    {
      type: "button",
      onclick: () => {
        forgetKey();
        draw();
        notice(t("forgotten"));
        changed();
      },
    },
    t("forget"),
  );
  function draw() {
    const key = storedKey();
    show(now, key ? t("sends", { key: `${key.slice(0, 16)}…` }) : t("none"), key && isKept() && ` ${t("kept")}`);
    forget.hidden = !key;
  }
  const use = async (event) => {
    event.preventDefault();
    show(problem);
    const key = field.value.trim();
    try {
      await check(key);
    } catch (error) {
      return show(problem, trouble(error));
    }
    storeKey(key, { keep: keep.checked });
    field.value = "";
    draw();
    notice(t("used"));
    changed();
  };
  draw();
  return h(
    "section",
    { class: "card stack", "aria-labelledby": "own" },
    h("h2", { id: "own" }, t("own")),
    now,
    h(
      "form",
      { class: "stack", onsubmit: use },
      h("label", { class: "short" }, t("key"), field, h("span", { class: "hint" }, t("ownHint"))),
      h("div", {}, h("label", { class: "inline" }, keep, t("keep")), h("span", { class: "hint" }, t("keepHint"))),
      problem,
      h("div", { class: "row" }, h("button", { class: "primary" }, t("use")), forget),
    ),
  );
}

/** Ask for something with the key. One that may do nothing here but something else is right, too: that is a 403. */
async function check(key) {
  const response = await fetch(address("/v1/models"), {
    headers: { Authorization: `Bearer ${key}` },
    cache: "no-store",
  });
  if (!response.ok && response.status !== 403) throw await problemOf(response);
}
