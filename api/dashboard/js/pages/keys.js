/** Keys: the one this page uses, and those of the tenant: made, shown once, revoked. */
import { h, show } from "../dom.js";
import { address, ask, problemOf } from "../http.js";
import { moment, number, words } from "../i18n.js";
import { forgetKey, isKept, storeKey, storedKey } from "../key.js";
import { confirmed, showSecret } from "../parts/dialogs.js";
import { notice, told, trouble } from "../parts/notices.js";
import { records } from "../parts/records.js";

const t = words("pages/keys");

const SCOPES = ["read", "ask", "documents", "review", "webhooks", "admin"];

export async function page(view, { signal }) {
  const list = listed(signal);
  const readiness = h("p", { class: "muted" });
  show(view, h("h1", {}, t("title")), readiness, ownKey(list.load), making(list.load, signal), list.element);
  await Promise.all([list.load(), required(signal).then((needed) => readiness.append(t(needed ? "required" : "off")))]);
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

function making(made, signal) {
  const problem = h("div");
  const name = h("input", { required: true, maxlength: "100", autocomplete: "off" });
  const scopes = SCOPES.map((scope) =>
    h("input", { type: "checkbox", value: scope, checked: scope === "read" || scope === "ask" }),
  );
  const [days, limit] = [3650, 1_000_000].map((max) =>
    h("input", { type: "number", min: "1", max: String(max), inputmode: "numeric" }),
  );
  const create = async (event) => {
    event.preventDefault();
    const chosen = scopes.filter((box) => box.checked).map((box) => box.value);
    if (!chosen.length) return show(problem, h("p", { class: "problem", role: "alert" }, t("noScope")));
    show(problem);
    try {
      const json = {
        name: name.value.trim(),
        scopes: chosen,
        expires_in_days: Number(days.value) || null,
        requests_per_minute: Number(limit.value) || null,
      };
      const key = await ask("/v1/keys", { method: "POST", json, signal });
      event.target.reset();
      await Promise.all([made(), showSecret(t("once", { name: key.name }), t("onceText"), key.key)]);
    } catch (error) {
      show(problem, trouble(error));
    }
  };
  return h(
    "section",
    { class: "card", "aria-labelledby": "make" },
    h("h2", { id: "make" }, t("make")),
    h(
      "form",
      { class: "stack", onsubmit: create },
      h("label", { class: "short" }, t("name"), name, h("span", { class: "hint" }, t("nameHint"))),
      h(
        "fieldset",
        { class: "stack tight" },
        h("legend", {}, t("scopes")),
        scopes.map((box) => h("label", { class: "inline" }, box, t(box.value))),
      ),
      h(
        "div",
        { class: "sieve top-aligned" },
        h("label", {}, t("days"), days, h("span", { class: "hint" }, t("daysHint"))),
        h("label", {}, t("limit"), limit, h("span", { class: "hint" }, t("limitHint"))),
      ),
      problem,
      h("div", {}, h("button", { class: "primary" }, t("create"))),
    ),
  );
}

function listed(signal) {
  const result = h("div");
  const rows = records(t("list"), [
    {
      label: t("name"),
      cell: (key) => [h("bdi", {}, key.name), h("div", { class: "small muted mono" }, `cw_${key.id}_…`)],
    },
    {
      label: t("scopesShort"),
      cell: (key) => [
        key.scopes.join(", "),
        key.requests_per_minute &&
          h("div", { class: "small muted" }, t("perMinute", { n: number(key.requests_per_minute) })),
      ],
    },
    { label: t("state"), cell: stateOf },
    { label: t("created"), cell: (key) => moment(key.created_at) },
    { label: t("last"), cell: (key) => (key.last_used_at ? moment(key.last_used_at) : t("never")) },
    { label: t("expires"), cell: (key) => (key.expires_at ? moment(key.expires_at) : t("never")) },
    {
      label: t("actions"),
      quiet: true,
      cell: (key) =>
        !key.revoked_at &&
        h(
          "div",
          { class: "row tight" },
          h(
            "button",
            {
              type: "button",
              class: "small danger plain",
              "aria-label": t("revokeOf", { name: key.name }),
              onclick: () => revoke(key),
            },
            t("revoke"),
          ),
        ),
    },
  ]);
  async function load() {
    try {
      const { keys } = await ask("/v1/keys", { signal });
      rows.update(keys);
      show(result, keys.length ? rows.element : h("p", { class: "empty" }, t("empty")));
    } catch (error) {
      if (!signal.aborted) show(result, trouble(error));
    }
  }
  async function revoke({ id, name }) {
    if (!(await confirmed(t("sure", { name }), t("warning"), t("revoke")))) return;
    try {
      await ask(`/v1/keys/${id}`, { method: "DELETE" });
      notice(t("gone", { name }));
    } catch (error) {
      notice(told(error));
    }
    await load();
  }
  const element = h(
    "section",
    { class: "card stack", "aria-labelledby": "list" },
    h("h2", { id: "list" }, t("list")),
    result,
  );
  return { element, load };
}

function stateOf({ revoked_at: revoked, expires_at: expires }) {
  const state = revoked ? "revoked" : expires && new Date(expires) < new Date() ? "expired" : "active";
  return h("span", { class: `badge ${state === "active" ? "supported" : "no_claim"}` }, t(state));
}
