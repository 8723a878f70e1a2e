/** The frame: the side bar with its four doors and the threads, language, theme. Pages are modules in pages/. */
import { h, show } from "./dom.js";
import { messages } from "./http.js";
import { LANGUAGES, allTexts, chooseLanguage, language, words } from "./i18n.js";
import { icon } from "./icons.js";
import { threadList } from "./parts/threads.js";
import { hasPeople } from "./people.js";
import { draw, go, here, redirect, route } from "./router.js";

const t = words("app");

/** The doors of the side bar, each with its pages; the first of them is where the door leads. */
const DOORS = {
  ask: ["ask"],
  documents: ["documents", "sources", "retrieval"],
  verify: ["verify"],
  settings: [
    "models",
    "workspaces",
    "quality",
    "feedback",
    "history",
    "webhooks",
    "keys",
    ...(hasPeople ? ["members", "account"] : []),
  ],
};
const PAGES = Object.values(DOORS).flat();
/** The page whose door an address with an id belongs to. */
const WITHIN = {
  thread: "ask",
  document: "documents",
  verification: "verify",
};
for (const name of PAGES) route(`/${name}`, module(name), () => t(name));
for (const name of Object.keys(WITHIN)) route(`/${name}/:id`, module(name), () => t(name));
route("/workspaces/:name", module("workspace"), () => t("workspace"));
route("/sign-in", module("sign_in"), () => t("signIn"));
// Addresses that stand in bookmarks, e-mails and exported answers.
redirect("/settings", "/models");
redirect("/query/:id", "/thread/:id");
redirect("/conversations/:id", "/thread/:id");
redirect("/conversations", "/ask");

const FOLDED = "citewell.side";
const THEME = "citewell.theme";
const THEMES = ["auto", "light", "dark"];
const MAC = /Mac|iP(hone|ad)/.test(navigator.platform);
/** Where the side bar does not fit beside the page, it is opened over it. */
const narrow = matchMedia("(max-width: 56rem)");
let listed = new AbortController();
const byId = (id) => document.getElementById(id);

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
  const name = here().split("?")[0].split("/")[1];
  const page = WITHIN[name] ?? name;
  const door = Object.keys(DOORS).find((candidate) => DOORS[candidate].includes(page));
  byId("nav").setAttribute("aria-label", t("pages"));
  show(
    byId("nav"),
    Object.entries(DOORS).map(([key, [first]]) =>
      h(
        "a",
        { href: `#/${first}`, "aria-current": key === door && (first === name ? "page" : "true"), title: t(key) },
        icon(key),
        h("span", {}, t(key)),
      ),
    ),
  );
  drawRooms(door, page, page === name);
  show(
    byId("tools"),
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
      icon("search", 16),
      h("span", {}, t("search")),
      h("kbd", { "aria-hidden": "true" }, MAC ? "⌘K" : "Ctrl K"),
    ),
    h(
      "div",
      { class: "choosing" },
      choice(t("language"), Object.entries(LANGUAGES), language(), speak),
      choice(
        t("theme"),
        THEMES.map((option) => [option, t(option)]),
        theme,
        colour,
      ),
    ),
  );
  drawSide();
  if (hasPeople) drawWho();
}

/** Who is signed in comes after the page, too. */
async function drawWho() {
  const [{ drawPerson }] = await Promise.all([import("./parts/person.js"), allTexts()]);
  await drawPerson(byId("person"));
}

/** The pages behind the open door, where there are several. */
function drawRooms(door, page, isPage) {
  const rooms = byId("rooms");
  const names = DOORS[door] ?? [];
  rooms.hidden = names.length < 2;
  rooms.setAttribute("aria-label", rooms.hidden ? "" : t(door));
  show(
    rooms,
    names.map((name) =>
      h("a", { href: `#/${name}`, "aria-current": name === page && (isPage ? "page" : "true") }, t(name)),
    ),
  );
  // On a phone they do not all fit: the current one is scrolled into sight.
  const open = rooms.querySelector("[aria-current]");
  if (open) rooms.scrollLeft = open.offsetLeft - rooms.offsetLeft - (rooms.clientWidth - open.offsetWidth) / 2;
}

function drawSide() {
  const side = byId("side");
  if (narrow.matches) side.popover = "auto";
  else side.removeAttribute("popover");
  const folded = !narrow.matches && localStorage.getItem(FOLDED) === "folded";
  document.documentElement.dataset.side = folded ? "folded" : "open";
  side.setAttribute("aria-label", t("side"));
  for (const [id, name] of [
    ["menu", "menu"],
    ["fold", "fold"],
  ]) {
    const label = id === "menu" ? t("menu") : t(folded ? "unfold" : "fold");
    show(byId(id), icon(name));
    byId(id).setAttribute("aria-label", label);
    byId(id).title = label;
  }
  byId("fold").setAttribute("aria-expanded", String(!folded));
}

function fold() {
  if (narrow.matches) return byId("side").hidePopover();
  localStorage.setItem(FOLDED, document.documentElement.dataset.side === "folded" ? "open" : "folded");
  return drawSide();
}

/** The list comes after the page: nobody waits for it. */
function drawThreads() {
  listed.abort();
  listed = new AbortController();
  show(byId("threads"), threadList({ signal: listed.signal }));
}

async function speak(name) {
  await chooseLanguage(name);
  drawThreads();
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
  messages(); // asked for with the page, not with its first reason
  return draw();
}

document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address behind # names a page
  byId("main").focus();
});
byId("fold").addEventListener("click", fold);
narrow.addEventListener("change", drawSide);
window.addEventListener("hashchange", async () => {
  if (byId("side").popover) byId("side").hidePopover();
  const from = document.activeElement;
  await refresh();
  // Else the page chose a place itself, or the keyboard went on while it came.
  if ([from, document.body].includes(document.activeElement)) byId("main").focus({ preventScroll: true });
});
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return;
  event.preventDefault(); // some browsers go to their own search
  goAnywhere();
});
refresh().finally(drawThreads);
