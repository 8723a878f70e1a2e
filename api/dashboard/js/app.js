/** The frame: navigation, language, theme. Each page is a module of its own in pages/. */
import { h, show, svg } from "./dom.js";
import { LANGUAGES, chooseLanguage, language, words } from "./i18n.js";
import { ready } from "./messages.js";
import { draw, go, here, route } from "./router.js";

const t = words({
  en: {
    ask: "Ask",
    conversations: "Conversations",
    conversation: "Conversation",
    documents: "Documents",
    sources: "Sources",
    retrieval: "Search test",
    verify: "Verify",
    history: "History",
    feedback: "Feedback",
    quality: "Quality",
    workspaces: "Workspaces",
    workspace: "Workspace",
    search: "Go to …",
    webhooks: "Webhooks",
    keys: "Keys",
    query: "Answer",
    document: "Document",
    verification: "Verification",
    language: "Language",
    theme: "Theme",
    auto: "System",
    light: "Light",
    dark: "Dark",
    skip: "Skip to content",
    pages: "Pages",
  },
  ko: {
    ask: "질문",
    conversations: "대화",
    conversation: "대화",
    documents: "문서",
    sources: "문서 출처",
    retrieval: "검색 시험",
    verify: "글 검증",
    history: "기록",
    feedback: "의견",
    quality: "품질",
    workspaces: "작업 공간",
    workspace: "작업 공간",
    search: "이동 …",
    webhooks: "웹훅",
    keys: "키",
    query: "답변",
    document: "문서",
    verification: "검증",
    language: "언어",
    theme: "테마",
    auto: "시스템",
    light: "밝게",
    dark: "어둡게",
    skip: "본문으로 건너뛰기",
    pages: "페이지",
  },
});

const PAGES = [
  "ask",
  "conversations",
  "documents",
  "sources",
  "retrieval",
  "verify",
  "history",
  "feedback",
  "quality",
  "workspaces",
  "webhooks",
  "keys",
];
for (const name of PAGES)
  route(
    `/${name}`,
    () => import(`./pages/${name}.js`),
    () => t(name),
  );
route(
  "/conversations/:id",
  () => import("./pages/conversation.js"),
  () => t("conversation"),
);
route(
  "/workspaces/:name",
  () => import("./pages/workspace.js"),
  () => t("workspace"),
);
route(
  "/query/:id",
  () => import("./pages/query.js"),
  () => t("query"),
);
route(
  "/document/:id",
  () => import("./pages/document.js"),
  () => t("document"),
);
route(
  "/verification/:id",
  () => import("./pages/verification.js"),
  () => t("verification"),
);

const THEME = "citewell.theme";
const THEMES = ["auto", "light", "dark"];
const MAC = /Mac|iP(hone|ad)/.test(navigator.platform);

function frame() {
  const theme = localStorage.getItem(THEME) || "auto";
  document.documentElement.lang = language();
  document.documentElement.dataset.theme = theme;
  document.querySelector(".skip").textContent = t("skip");
  const nav = document.getElementById("nav");
  nav.setAttribute("aria-label", t("pages"));
  const current = here().split("?")[0].split("/")[1];
  show(
    nav,
    PAGES.map((name) => h("a", { href: `#/${name}`, "aria-current": name === current && "page" }, t(name))),
  );
  // On a phone they do not all fit; what is open is in sight.
  const open = nav.querySelector("[aria-current]");
  if (open) nav.scrollLeft = open.offsetLeft - nav.offsetLeft - (nav.clientWidth - open.offsetWidth) / 2;
  show(
    document.getElementById("tools"),
    h(
      "button",
      {
        type: "button",
        class: "opener",
        "aria-haspopup": "dialog",
        "aria-keyshortcuts": "Control+K Meta+K",
        onclick: goAnywhere,
        "aria-label": t("search"),
        title: t("search"),
      },
      svg(
        "svg",
        { viewBox: "0 0 24 24", width: 16, height: 16, "aria-hidden": "true" },
        svg("path", { d: "M15.5 15.5 21 21M10 17a7 7 0 1 1 0-14 7 7 0 0 1 0 14" }),
      ),
      h("kbd", { "aria-hidden": "true" }, MAC ? "⌘K" : "Ctrl K"),
    ),
    choice(t("language"), Object.entries(LANGUAGES), language(), speak),
    choice(
      t("theme"),
      THEMES.map((name) => [name, t(name)]),
      theme,
      colour,
    ),
  );
}

function speak(name) {
  chooseLanguage(name);
  return refresh();
}

function colour(name) {
  localStorage.setItem(THEME, name);
  frame();
}

/** The palette comes when it is first asked for. */
async function goAnywhere() {
  const { palette } = await import("./parts/palette.js");
  palette([
    ...PAGES.map((name) => ({ label: t(name), words: name, always: true, act: () => go(`/${name}`) })),
    ...Object.entries(LANGUAGES).map(([name, label]) => ({
      label: `${t("language")}: ${label}`,
      words: "language",
      act: () => speak(name),
    })),
    ...THEMES.map((name) => ({ label: `${t("theme")}: ${t(name)}`, words: `theme ${name}`, act: () => colour(name) })),
  ]);
}

function choice(label, options, chosen, change) {
  const made = options.map(([value, text]) => h("option", { value, selected: value === chosen }, text));
  return h("select", { "aria-label": label, onchange: (event) => change(event.target.value) }, made);
}

function refresh() {
  frame();
  ready();
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
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return;
  event.preventDefault(); // some browsers go to their own search
  goAnywhere();
});
refresh();
