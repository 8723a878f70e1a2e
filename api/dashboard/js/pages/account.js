/** What a person may do here, and their own keys: made, shown once, revoked. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { moment, words } from "../i18n.js";
import { confirmed, showSecret } from "../parts/dialogs.js";
import { notice, told, trouble } from "../parts/notices.js";
import { records } from "../parts/records.js";

const t = words("pages/account");

const SCOPES = ["read", "ask", "documents"];

export async function page(view, { signal }) {
  const me = await ask("/v1/me", { signal });
  if (me.kind !== "person") return show(view, h("h1", {}, t("title")), h("p", { class: "empty" }, t(me.kind)));
  const list = listed(signal);
  show(
    view,
    h("h1", {}, me.name),
    h("p", { class: "muted" }, me.email),
    roles(me),
    making(list.load, signal),
    list.element,
  );
  await list.load();
}

function roles({ everywhere, workspaces }) {
  const lines = workspaces.map(({ name, role }) => h("li", {}, t("in", { name, role: t(role) })));
  return h(
    "section",
    { class: "card stack", "aria-labelledby": "roles" },
    h("h2", { id: "roles" }, t("roles")),
    everywhere !== "none" && h("p", {}, t("everywhere", { role: t(everywhere) })),
    lines.length ? h("ul", {}, lines) : everywhere === "none" && h("p", { class: "empty" }, t("nowhere")),
  );
}

function making(made, signal) {
  const problem = h("div");
  const name = h("input", { required: true, maxlength: "100", autocomplete: "off" });
  const boxes = SCOPES.map((scope) => h("input", { type: "checkbox", value: scope, checked: scope !== "documents" }));
  const create = async (event) => {
    event.preventDefault();
    show(problem);
    try {
      const scopes = boxes.filter((box) => box.checked).map((box) => box.value);
      const json = { name: name.value.trim(), scopes };
      const key = await ask("/v1/me/keys", { method: "POST", json, signal });
      event.target.reset();
      await Promise.all([made(), showSecret(key.name, t("once"), key.key)]);
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
      h("label", { class: "short" }, t("name"), name, h("span", { class: "hint" }, t("hint"))),
      h(
        "fieldset",
        { class: "stack tight" },
        h("legend", {}, t("scopes")),
        boxes.map((box) => h("label", { class: "inline" }, box, box.value)),
      ),
      problem,
      h("div", {}, h("button", { class: "primary" }, t("create"))),
    ),
  );
}

function listed(signal) {
  const result = h("div");
  const rows = records(t("keys"), [
    { label: t("name"), cell: (key) => h("bdi", {}, key.name) },
    { label: t("scopes"), cell: (key) => key.scopes.join(", ") },
    { label: t("expires"), cell: (key) => moment(key.expires_at) },
    {
      label: t("actions"),
      quiet: true,
      cell: (key) =>
        key.revoked_at
          ? h("span", { class: "badge no_claim" }, t("revoked"))
          : h(
              "button",
              {
                type: "button",
                class: "small danger plain",
                "aria-label": t("revokeOf", key),
                onclick: () => revoke(key),
              },
              t("revoke"),
            ),
    },
  ]);
  async function load() {
    try {
      const { keys } = await ask("/v1/me/keys", { signal });
      rows.update(keys);
      show(result, keys.length ? rows.element : h("p", { class: "empty" }, t("noKeys")));
    } catch (error) {
      if (!signal.aborted) show(result, trouble(error));
    }
  }
  async function revoke({ id, name }) {
    if (!(await confirmed(t("sure", { name }), t("warning"), t("revoke")))) return;
    try {
      await ask(`/v1/me/keys/${id}`, { method: "DELETE" });
    } catch (error) {
      notice(told(error));
    }
    await load();
  }
  const heading = h("h2", { id: "keys" }, t("keys"));
  return { element: h("section", { class: "card stack", "aria-labelledby": "keys" }, heading, result), load };
}
