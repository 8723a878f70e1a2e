/** What a person may do here, and their own keys: made, shown once, revoked. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { words } from "../i18n.js";
import { apiKeys } from "../parts/api_keys.js";

const t = words("pages/account");

export async function page(view, { signal }) {
  const me = await ask("/v1/me", { signal });
  if (me.kind !== "person") return show(view, h("h1", {}, t("title")), h("p", { class: "empty" }, t(me.kind)));
  const keys = apiKeys({
    path: "/v1/me/keys",
    scopes: ["read", "ask", "documents"],
    title: t("make"),
    list: t("keys"),
    hint: t("hint"),
    signal,
  });
  show(view, h("h1", {}, me.name), h("p", { class: "muted" }, me.email), roles(me), keys.element);
  await keys.load();
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
