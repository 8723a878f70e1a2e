/** Search within a text that is shown: every hit highlighted, one after the other brought into sight. */
import { h } from "../dom.js";
import { number, words } from "../i18n.js";

const t = words("parts/finding");

const MOST = 1000;
const WAIT_MS = 150;

/** A search field over `text`; `range(start, end)` gives what is shown of it, `reveal(range)` brings it into sight. */
export function finding(text, range, reveal, signal) {
  const lower = text.toLowerCase();
  // Lower case has another length for a few letters; then capitals count.
  const searched = lower.length === text.length ? lower : text;
  const state = { hits: [], at: -1, timer: 0 };
  const told = h("span", { class: "small muted", role: "status" });
  const field = h("input", {
    type: "search",
    "aria-label": t("find"),
    placeholder: t("find"),
    dir: "auto",
    oninput: () => {
      clearTimeout(state.timer);
      state.timer = setTimeout(search, WAIT_MS);
    },
    onkeydown: (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        move(event.shiftKey ? -1 : 1);
      }
    },
  });
  const button = (name, sign, step) =>
    h("button", { type: "button", "aria-label": t(name), onclick: () => move(step) }, sign);

  function search() {
    const wanted = searched === lower ? field.value.toLowerCase() : field.value;
    state.hits = [];
    for (
      let at = wanted ? searched.indexOf(wanted) : -1;
      at >= 0 && state.hits.length < MOST;
      at = searched.indexOf(wanted, at + wanted.length)
    )
      state.hits.push(at);
    state.at = -1;
    highlight(
      "found",
      state.hits.map((at) => range(at, at + wanted.length)),
    );
    if (state.hits.length) move(1);
    else {
      highlight("found-now", []);
      told.textContent = wanted ? t("none") : "";
    }
  }
  function move(step) {
    if (!state.hits.length) return;
    state.at = (state.at + step + state.hits.length) % state.hits.length;
    const at = state.hits[state.at];
    const shown = range(at, at + field.value.length);
    highlight("found-now", [shown]);
    if (shown) reveal(shown);
    told.textContent = t(state.hits.length < MOST ? "hits" : "most", {
      at: number(state.at + 1),
      all: number(state.hits.length),
    });
  }
  signal.addEventListener("abort", () => {
    clearTimeout(state.timer);
    highlight("found", []);
    highlight("found-now", []);
  });
  return h(
    "div",
    { class: "row finding", role: "search" },
    field,
    button("previous", "↑", -1),
    button("next", "↓", 1),
    told,
  );
}

/** Without the highlights of CSS the hit of the moment is selected instead. */
function highlight(name, ranges) {
  const shown = ranges.filter(Boolean);
  if (globalThis.CSS?.highlights) CSS.highlights.set(name, new Highlight(...shown));
  else if (name === "found-now" && shown.length) {
    getSelection().removeAllRanges();
    getSelection().addRange(shown[0]);
  }
}
