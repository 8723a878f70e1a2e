/** Telling people what happened: a short notice, or a problem that stays. */
import { h } from "../dom.js";
import { words } from "../i18n.js";
import { storedKey } from "../key.js";

const t = words({
  en: {
    away: "The server does not answer. It may be starting; try again.",
    key: "Enter a key",
    other: "Use another key",
    needed:
      "This server asks for a key. Enter yours; the server's administrator makes one with “citewell keys create”.",
    bug: "Something went wrong in this page.",
  },
  ko: {
    away: "서버가 응답하지 않습니다. 시작 중일 수 있으니 다시 시도하세요.",
    key: "키 입력",
    other: "다른 키 사용",
    needed: "이 서버는 키를 요구합니다. 받은 키를 입력해 주세요. 키는 서버 관리자가 “citewell keys create”로 만듭니다.",
    bug: "이 페이지에서 문제가 발생했습니다.",
  },
});

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
  const missing = (error.status === 401 || error.status === 403) && location.hash !== "#/keys";
  return h(
    "div",
    { class: "problem", role: "alert" },
    h("strong", {}, told(error)),
    (error.fields || []).map((field) =>
      h("div", { class: "small" }, `${field.field || field.loc || ""} ${field.message || field.msg || ""}`),
    ),
    missing && h("div", {}, h("a", { href: "#/keys" }, t(storedKey() ? "other" : "key"))),
    !missing && action && h("div", { class: "row" }, action),
  );
}

/** What to tell of an error, in one sentence. */
export function told(error) {
  if (error.status === 401 && !storedKey()) return t("needed");
  if (AWAY.has(error.status) && error.code === "unknown") return t("away"); // a proxy's page, not the API's words
  if (error.status) return error.message;
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) return t("away");
  console.error(error);
  return t("bug");
}
