/** Pages by the address behind `#`: `#/query/ID?x=1`. A page is a function `(view, { params, search, signal })`. */
import { h, show } from "./dom.js";
import { words } from "./i18n.js";
import { trouble } from "./parts/notices.js";

const t = words("router");

const routes = [];
let leave = new AbortController();

/** `pattern` like `/query/:id`; `load` imports the module whose `page` draws it. */
export function route(pattern, load, title) {
  const names = [...pattern.matchAll(/:(\w+)/g)].map(([, name]) => name);
  routes.push({ names, expression: new RegExp(`^${pattern.replace(/:\w+/g, "([^/]+)")}$`), load, title });
}

/** An address of earlier pages: `/query/:id` leads to `to`, `/thread/:id`, with what stood behind its `?`. */
export function redirect(pattern, to) {
  route(pattern, async () => ({
    page: (_, { params, search }) => {
      const path = to.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params[name]));
      location.replace(`#${path}${search.size ? `?${search}` : ""}`);
    },
  }));
}

export const here = () => location.hash.slice(1) || "/ask";
export const go = (address) => {
  location.hash = address;
};

/** Put what is chosen on a page into its address, unless the page of `signal` was left meanwhile. */
export const keep = (address, signal) => signal.aborted || history.replaceState(null, "", address);

// That a page which was left stops its requests is no fault of any.
addEventListener("unhandledrejection", (event) => event.reason?.name === "AbortError" && event.preventDefault());

/** Draw the page of the address of the moment; what the page before it was doing is told to stop. */
export async function draw() {
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const [path, search = ""] = here().split("?");
  const main = document.getElementById("main");
  const matched = routes.find((candidate) => candidate.expression.test(path));
  if (!matched) return go("/ask");
  const values = matched.expression.exec(path).slice(1).map(decoded);
  const params = Object.fromEntries(matched.names.map((name, index) => [name, values[index]]));
  if (matched.title) document.title = `${matched.title()} · Citewell`;
  const loading = h("progress", { class: "loading", "aria-label": t("loading") });
  const view = h("div", { class: "page" }, loading);
  show(main, view);
  window.scrollTo(0, 0);
  try {
    const { page } = await matched.load();
    if (!signal.aborted) await page(view, { params, search: new URLSearchParams(search), signal });
  } catch (error) {
    loading.remove();
    if (!signal.aborted) view.prepend(trouble(error, h("button", { type: "button", onclick: draw }, t("again"))));
  }
}

/** As it is where it is no way to write an address: no document has that name, and its page says so. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
