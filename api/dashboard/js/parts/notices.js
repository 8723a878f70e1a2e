/** Telling people what happened: a short notice, or a problem that stays. */
import { h } from "../dom.js";
import { words } from "../i18n.js";
import { storedKey } from "../key.js";
import { hasPeople, signInAddress } from "../people.js";

const t = words("parts/notices");

const AWAY = new Set([502, 503, 504]);

/** A notice that goes away by itself; one that is about this page alone goes with it. */
export function notice(text, { ofThisPage = false } = {}) {
  const line = h("div", { class: "notice" }, text);
  document.getElementById("notices").append(line);
  setTimeout(() => line.remove(), 6000);
  if (ofThisPage) addEventListener("hashchange", () => line.remove(), { once: true });
}

/** A notice that stays until the function that is returned is called. */
export function standing(text) {
  const line = h("div", { class: "notice" }, text);
  document.getElementById("notices").append(line);
  return () => line.remove();
}

/** A box that says what went wrong and what to do; `action` is what can be done right there. */
export function trouble(error, action = null) {
  const signsIn = hasPeople && !storedKey();
  const missing = (error.status === 401 || (error.status === 403 && !signsIn)) && location.hash !== "#/keys";
  return h(
    "div",
    { class: "problem", role: "alert" },
    h("strong", {}, told(error)),
    (error.fields || []).map((field) =>
      h("div", { class: "small" }, `${field.field || field.loc || ""} ${field.message || field.msg || ""}`),
    ),
    missing && h("div", {}, signsIn ? h("a", { href: signInAddress() }, t("signIn")) : toKeys()),
    !missing && error.status !== 403 && action && h("div", { class: "row" }, action),
  );
}

const toKeys = () => h("a", { href: "#/keys" }, t(storedKey() ? "other" : "key"));

/** What to tell of an error, in one sentence. */
export function told(error) {
  if (error.status === 401 && !storedKey() && !hasPeople) return t("needed");
  if (AWAY.has(error.status) && error.code === "unknown") return t("away"); // a proxy's page, not the API's words
  if (error.status) return error.message;
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) return t("away");
  console.error(error);
  return t("bug");
}
