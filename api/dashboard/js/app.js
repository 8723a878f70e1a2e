/** The frame: navigation, language, theme. Each page is a module of its own in pages/. */
import { h, show } from "./dom.js";
import { LANGUAGES, chooseLanguage, language, words } from "./i18n.js";
import { draw, here, route } from "./router.js";

const t = words({
  en: { ask: "Ask", conversations: "Conversations", conversation: "Conversation", documents: "Documents", verify: "Verify a text", history: "History", quality: "Quality", webhooks: "Webhooks",
    keys: "Keys", query: "Answer", document: "Document", verification: "Verification", language: "Language", theme: "Theme", auto: "System",
    light: "Light", dark: "Dark", skip: "Skip to content", pages: "Pages" },
  ko: { ask: "질문", conversations: "대화", conversation: "대화", documents: "문서", verify: "글 검증", history: "기록", quality: "품질", webhooks: "웹훅", keys: "키", query: "답변",
    document: "문서", verification: "검증", language: "언어", theme: "테마", auto: "시스템", light: "밝게", dark: "어둡게", skip: "본문으로 건너뛰기",
    pages: "페이지" },
});

const PAGES = ["ask", "conversations", "documents", "verify", "history", "quality", "webhooks", "keys"];
for (const name of PAGES) route(`/${name}`, () => import(`./pages/${name}.js`), () => t(name));
route("/conversations/:id", () => import("./pages/conversation.js"), () => t("conversation"));
route("/query/:id", () => import("./pages/query.js"), () => t("query"));
route("/document/:id", () => import("./pages/document.js"), () => t("document"));
route("/verification/:id", () => import("./pages/verification.js"), () => t("verification"));

const THEME = "citewell.theme";

function frame() {
  const theme = localStorage.getItem(THEME) || "auto";
  document.documentElement.lang = language();
  document.documentElement.dataset.theme = theme;
  document.querySelector(".skip").textContent = t("skip");
  const nav = document.getElementById("nav");
  nav.setAttribute("aria-label", t("pages"));
  const current = here().split("?")[0].split("/")[1];
  show(nav, PAGES.map((name) => h("a", { href: `#/${name}`, "aria-current": name === current && "page" }, t(name))));
  // On a phone they do not all fit; what is open is in sight.
  const open = nav.querySelector("[aria-current]");
  if (open) nav.scrollLeft = open.offsetLeft - nav.offsetLeft - (nav.clientWidth - open.offsetWidth) / 2;
  show(
    document.getElementById("tools"),
    choice(t("language"), Object.entries(LANGUAGES), language(), (value) => { chooseLanguage(value); refresh(); }),
    choice(t("theme"), ["auto", "light", "dark"].map((one) => [one, t(one)]), theme, (value) => {
      localStorage.setItem(THEME, value);
      frame();
    }),
  );
}

function choice(label, options, chosen, change) {
  const made = options.map(([value, text]) => h("option", { value, selected: value === chosen }, text));
  return h("select", { "aria-label": label, onchange: (event) => change(event.target.value) }, made);
}

function refresh() {
  frame();
  return draw();
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address behind # names a page
  document.getElementById("main").focus();
});
window.addEventListener("hashchange", async () => {
  await refresh();
  const main = document.getElementById("main");
  if (!main.contains(document.activeElement)) main.focus({ preventScroll: true }); // else the page chose a place itself
});
refresh();
