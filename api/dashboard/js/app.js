/** The frame: navigation, language, theme. Each page is a module of its own in pages/. */
import { h, show, svg } from "./dom.js";
import { LANGUAGES, allTexts, chooseLanguage, language, words } from "./i18n.js";
import { ready } from "./messages.js";
import { draw, go, here, route } from "./router.js";

const t = words("app");

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
for (const name of PAGES) route(`/${name}`, module(name), () => t(name));
route("/conversations/:id", module("conversation"), () => t("conversation"));
route("/models", module("models"), () => t("models"));
route("/workspaces/:name", module("workspace"), () => t("workspace"));
route("/query/:id", module("query"), () => t("query"));
route("/document/:id", module("document"), () => t("document"));
route("/verification/:id", module("verification"), () => t("verification"));

const THEME = "citewell.theme";
const THEMES = ["auto", "light", "dark"];
const MAC = /Mac|iP(hone|ad)/.test(navigator.platform);

/** A function that loads a page; only the first has its texts already. */
function module(name) {
  return async () => {
    const [page] = await Promise.all([import(`./pages/${name}.js`), name !== "ask" && allTexts()]);
    return page;
  };
}

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

async function speak(name) {
  await chooseLanguage(name);
  return refresh();
}

function colour(name) {
  localStorage.setItem(THEME, name);
  frame();
}

/** The palette comes when it is first asked for. */
async function goAnywhere() {
  const [{ palette }] = await Promise.all([import("./parts/palette.js"), allTexts()]);
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
