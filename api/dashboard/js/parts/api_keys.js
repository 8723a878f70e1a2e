/** Keys of programs: a form that makes one, shown once, and the table of those there are. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { moment, number, words } from "../i18n.js";
import { confirmed, showSecret } from "./dialogs.js";
import { notice, told, trouble } from "./notices.js";
import { records } from "./records.js";

const t = words("parts/api_keys");

/**
 * Keys that the API has at `path`, with the titles of the page. `more` are fields of the form, `given()` what they
 * say. Returns `{ element, load }`.
 */
export function apiKeys({ path, scopes, title, list, hint, more = [], given = () => ({}), signal }) {
  const rows = table(list, path, load);
  const result = h("div");
  async function load() {
    try {
      const { keys } = await ask(path, { signal });
      rows.update(keys);
      show(result, keys.length ? rows.element : h("p", { class: "empty" }, t("empty")));
    } catch (error) {
      if (!signal.aborted) show(result, trouble(error));
    }
  }
  const problem = h("div");
  const name = h("input", { required: true, maxlength: "100", autocomplete: "off" });
  const boxes = scopes.map((value) =>
    h("input", { type: "checkbox", value, checked: value === "read" || value === "ask" }),
  );
  const create = async (event) => {
    event.preventDefault();
    const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
    if (!chosen.length) return show(problem, h("p", { class: "problem", role: "alert" }, t("noScope")));
    show(problem);
    try {
      const json = { name: name.value.trim(), scopes: chosen, ...given() };
      const key = await ask(path, { method: "POST", json, signal });
      event.target.reset();
      await Promise.all([load(), showSecret(t("once", key), t("onceText"), key.key)]);
    } catch (error) {
      show(problem, trouble(error));
    }
  };
  const element = [
    h(
      "section",
      { class: "card", "aria-labelledby": "make" },
      h("h2", { id: "make" }, title),
      h(
        "form",
        { class: "stack", onsubmit: create },
        h("label", { class: "short" }, t("name"), name, h("span", { class: "hint" }, hint)),
        h(
          "fieldset",
          { class: "stack tight" },
          h("legend", {}, t("scopes")),
          boxes.map((box) => h("label", { class: "inline" }, box, t(`may_${box.value}`))),
        ),
        more,
        problem,
        h("div", {}, h("button", { class: "primary" }, t("create"))),
      ),
    ),
    h("section", { class: "card stack", "aria-labelledby": "list" }, h("h2", { id: "list" }, list), result),
  ];
  return { element, load };
}

function table(title, path, load) {
  async function revoke({ id, name }) {
    if (!(await confirmed(t("sure", { name }), t("warning"), t("revoke")))) return;
    try {
      await ask(`${path}/${id}`, { method: "DELETE" });
      notice(t("gone", { name }));
    } catch (error) {
      notice(told(error));
    }
    await load();
  }
  const revoking = (key) =>
    h(
      "button",
      {
        type: "button",
        class: "small danger plain",
        "aria-label": t("revokeOf", { name: key.name }),
        onclick: () => revoke(key),
      },
      t("revoke"),
    );
  return records(title, [
    {
      label: t("name"),
      cell: (key) => [h("bdi", {}, key.name), h("div", { class: "small muted mono" }, `cw_${key.id}_…`)],
    },
    {
      label: t("scopes"),
      cell: (key) => [
        key.scopes.map((scope) => t(scope)).join(", "),
        key.requests_per_minute &&
          h("div", { class: "small muted" }, t("perMinute", { n: number(key.requests_per_minute) })),
      ],
    },
    { label: t("state"), cell: stateOf },
    { label: t("created"), cell: (key) => moment(key.created_at) },
    { label: t("last"), cell: (key) => (key.last_used_at ? moment(key.last_used_at) : t("never")) },
    { label: t("expires"), cell: (key) => (key.expires_at ? moment(key.expires_at) : t("never")) },
    { label: t("actions"), quiet: true, cell: (key) => !key.revoked_at && revoking(key) },
  ]);
}

function stateOf({ revoked_at: revoked, expires_at: expires }) {
  const state = revoked ? "revoked" : expires && new Date(expires) < new Date() ? "expired" : "active";
  return h("span", { class: `badge ${state === "active" ? "supported" : "no_claim"}` }, t(state));
}
