/** Webhooks: whom to tell of what, what was sent to them, and the secrets that sign it. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { moment, words } from "../i18n.js";
import { deliveries } from "../parts/deliveries.js";
import { confirmed, copied, showSecret } from "../parts/dialogs.js";
import { notice, told, trouble } from "../parts/notices.js";

const t = words("pages/webhooks");

export async function page(view, { signal }) {
  const form = adding(() => list.load());
  const list = listed(form.offer, signal);
  show(view, h("h1", {}, t("title")), h("p", { class: "muted" }, t("lead")), form.element, list.element, callback());
  await list.load();
}

function adding(added) {
  const problem = h("div");
  const url = h("input", {
    type: "url",
    required: true,
    maxlength: "2048",
    placeholder: "https://example.com/hooks/citewell",
  });
  const description = h("input", { maxlength: "500" });
  let events = [];
  const types = h("div", { class: "row" });
  // Once: what is chosen stays when the list is read again.
  function offer(names) {
    if (events.length) return;
    events = names.map((value) => h("input", { type: "checkbox", value, disabled: all.checked, checked: true }));
    show(
      types,
      events.map((box) => h("label", { class: "inline mono" }, box, box.value)),
    );
  }
  const all = h("input", {
    type: "checkbox",
    checked: true,
    onchange: () => {
      for (const box of events) box.disabled = all.checked;
    },
  });
  const create = async (event) => {
    event.preventDefault();
    show(problem);
    try {
      const wanted = all.checked ? ["*"] : events.filter((box) => box.checked).map((box) => box.value);
      const made = await ask("/v1/webhooks", {
        method: "POST",
        json: { url: url.value.trim(), events: wanted, description: description.value.trim() },
      });
      event.target.reset();
      for (const box of events) box.disabled = true;
      await Promise.all([added(), showSecret(t("secretOf"), t("secretText"), made.secret)]);
    } catch (error) {
      show(problem, trouble(error));
    }
  };
  const element = h(
    "section",
    { class: "card stack", "aria-labelledby": "add" },
    h("h2", { id: "add" }, t("add")),
    h(
      "form",
      { class: "stack", onsubmit: create },
      h("label", {}, t("url"), url, h("span", { class: "hint" }, t("urlHint"))),
      h("label", {}, t("description"), description),
      h(
        "fieldset",
        { class: "row" },
        h("legend", {}, t("what")),
        h("label", { class: "inline" }, all, t("all")),
        types,
      ),
      problem,
      h("div", {}, h("button", { class: "primary" }, t("create"))),
    ),
  );
  return { element, offer };
}

function listed(offer, signal) {
  const result = h("div");
  const open = new Set(); // whose deliveries are looked at, so that they stay open
  let drawn = new AbortController();
  async function load() {
    try {
      const { webhooks, event_types: types } = await ask("/v1/webhooks", { signal });
      offer(types);
      drawn.abort();
      drawn = new AbortController();
      const until = AbortSignal.any([signal, drawn.signal]);
      show(
        result,
        webhooks.length
          ? webhooks.map((webhook) => item(webhook, { load, open, signal: until }))
          : h("p", { class: "empty" }, t("none")),
      );
    } catch (error) {
      if (!signal.aborted) show(result, trouble(error));
    }
  }
  const element = h(
    "section",
    { class: "card stack", "aria-labelledby": "list" },
    h("h2", { id: "list" }, t("list")),
    result,
  );
  return { element, load };
}

function item(hook, { load, open, signal }) {
  const sent = deliveries(hook, signal);
  const seen = h(
    "details",
    {
      open: open.has(hook.id),
      ontoggle: (event) => {
        if (!event.target.open) return open.delete(hook.id);
        open.add(hook.id);
        if (!event.target.dataset.followed) sent.follow();
        event.target.dataset.followed = "yes";
      },
    },
    h("summary", {}, t("deliveries")),
    sent.element,
  );
  const paused = hook.status === "disabled";
  const act = (work, { danger = false, reload = true } = {}) => [
    danger ? "small danger" : "small",
    async () => {
      try {
        if ((await work()) !== false && reload) await load();
      } catch (error) {
        notice(told(error));
      }
    },
  ];
  const button = (name, [kind, onclick]) =>
    h("button", { type: "button", class: kind, onclick, "aria-label": `${t(name)}: ${hook.url}` }, t(name));
  return h(
    "article",
    { class: "hook stack" },
    h("div", { class: "row spread" }, h("h3", { class: "mono" }, hook.url), state(hook)),
    hook.description && h("p", {}, hook.description),
    hook.disabled_reason && h("p", { class: "small reason" }, hook.disabled_reason),
    h(
      "div",
      { class: "row" },
      hook.events.map((event) => h("span", { class: "badge mono" }, event === "*" ? t("all") : event)),
    ),
    h(
      "div",
      { class: "row" },
      !paused &&
        button(
          "test",
          act(() => tested(hook, seen, sent), { reload: false }),
        ),
      button(
        paused ? "resume" : "pause",
        act(() => changed(hook, paused ? "active" : "disabled")),
      ),
      button(
        "rotate",
        act(() => rotated(hook)),
      ),
      button(
        "remove",
        act(() => removed(hook), { danger: true }),
      ),
    ),
    seen,
  );
}

function state({ status, failing_since: since }) {
  const failing = status === "active" && since;
  return h(
    "span",
    { class: `badge ${failing ? "contradicted" : status === "active" ? "supported" : "no_claim"}` },
    failing ? t("failing", { when: moment(since) }) : t(status),
  );
}

async function tested({ id }, seen, sent) {
  await ask(`/v1/webhooks/${id}/test`, { method: "POST" });
  notice(t("tested"));
  if (seen.open) await sent.load();
  else seen.open = true;
}

async function changed({ id }, status) {
  await ask(`/v1/webhooks/${id}`, { method: "PATCH", json: { status } });
  notice(t(status === "active" ? "resumed" : "paused"));
}

async function rotated({ id }) {
  if (!(await confirmed(t("sureRotate"), t("rotateText"), t("rotate")))) return false;
  const { secret } = await ask(`/v1/webhooks/${id}/rotate-secret`, { method: "POST" });
  await showSecret(t("secretOf"), t("secretText"), secret);
  return true;
}

async function removed({ id, url }) {
  if (!(await confirmed(t("sure"), t("warning"), t("remove"), h("p", { class: "mono" }, url)))) return false;
  await ask(`/v1/webhooks/${id}`, { method: "DELETE" });
  notice(t("gone"));
  return true;
}

function callback() {
  const place = h("div");
  const secret = (work) => async () => {
    try {
      const given = await work();
      if (given) show(place, shownSecret(given.secret));
    } catch (error) {
      show(place, trouble(error));
    }
  };
  const replace = async () => {
    if (!(await confirmed(t("sureReplace"), t("replaceText"), t("replace")))) return null;
    const given = await ask("/v1/webhooks/callback-secret/rotate", { method: "POST" });
    notice(t("replaced"));
    return given;
  };
  return h(
    "section",
    { class: "card stack", "aria-labelledby": "callback" },
    h("h2", { id: "callback" }, t("callback")),
    h("p", { class: "muted" }, t("callbackText")),
    place,
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", onclick: secret(() => ask("/v1/webhooks/callback-secret")) }, t("reveal")),
      h("button", { type: "button", class: "danger", onclick: secret(replace) }, t("replace")),
    ),
  );
}

function shownSecret(secret) {
  const field = h("input", { readonly: true, class: "mono", "aria-label": t("callback"), value: secret });
  return h(
    "div",
    { class: "row secret" },
    field,
    h("button", { type: "button", onclick: () => copied(field) }, t("copy")),
  );
}
