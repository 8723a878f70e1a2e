/** The workspaces: those there are with how much they contain, and a new one. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { moment, number, words } from "../i18n.js";
import { bytes } from "../parts/ingestion.js";
import { told, trouble } from "../parts/notices.js";
import { records } from "../parts/records.js";
import { go } from "../router.js";

const t = words("pages/workspaces");

const AT_A_TIME = 100;

export async function page(view, { signal }) {
  const rows = records(t("stored"), columns(), (space) => space.name);
  const listing = h("div", {}, h("progress", { class: "loading", "aria-label": t("loading") }));
  const more = h("button", { type: "button", hidden: true, onclick: () => load(state.cursor) }, t("more"));
  const state = { spaces: [], cursor: "" };
  async function load(cursor = "") {
    try {
      const told = await ask(withQuery("/v1/workspaces", { cursor, limit: AT_A_TIME }), { signal });
      state.spaces = cursor ? [...state.spaces, ...told.workspaces] : told.workspaces;
      state.cursor = told.next_cursor;
      more.hidden = !state.cursor;
      rows.update(state.spaces);
      show(listing, state.spaces.length ? rows.element : h("p", { class: "empty" }, t("none")));
    } catch (error) {
      if (!signal.aborted) show(listing, trouble(error));
    }
  }
  show(
    view,
    h("h1", {}, t("title")),
    h("p", { class: "muted" }, t("lead")),
    h(
      "section",
      { class: "card stack", "aria-labelledby": "stored" },
      h("h2", { id: "stored" }, t("stored")),
      listing,
      more,
    ),
    making(signal),
  );
  await load();
}

function making(signal) {
  const problem = h("div");
  const name = h("input", { required: true, maxlength: "100", autocomplete: "off", spellcheck: "false" });
  const title = h("input", { maxlength: "200", autocomplete: "off" });
  const create = async (event) => {
    event.preventDefault();
    show(problem);
    try {
      const made = await ask("/v1/workspaces", {
        method: "POST",
        json: { name: name.value.trim(), title: title.value.trim() || null },
        signal,
      });
      go(addressOf(made.name));
    } catch (error) {
      if (!signal.aborted)
        show(problem, error.status ? trouble(error) : h("p", { class: "problem", role: "alert" }, told(error)));
    }
  };
  return h(
    "section",
    { class: "card", "aria-labelledby": "make" },
    h("h2", { id: "make" }, t("make")),
    h(
      "form",
      { class: "stack", onsubmit: create },
      problem,
      h(
        "div",
        { class: "sieve top-aligned" },
        h("label", {}, t("name"), name, h("span", { class: "hint" }, t("nameHint"))),
        h("label", {}, t("label"), title, h("span", { class: "hint" }, t("labelHint"))),
      ),
      h("div", {}, h("button", { class: "primary" }, t("create"))),
    ),
  );
}

export const addressOf = (name) => `/workspaces/${encodeURIComponent(name)}`;

function columns() {
  return [
    {
      label: t("name"),
      cell: (space) => [
        h("a", { class: "entry", href: `#${addressOf(space.name)}`, dir: "auto" }, space.title || space.name),
        space.title && h("div", { class: "small muted" }, h("bdi", {}, space.name)),
        space.status === "deleting" && h("span", { class: "badge contradicted" }, t("deleting")),
      ],
    },
    { label: t("documents"), number: true, cell: documentsOf },
    { label: t("size"), number: true, cell: (space) => bytes(space.size_bytes) },
    { label: t("passages"), number: true, cell: (space) => number(space.passages) },
    { label: t("uses"), cell: (space) => h("span", { class: "small" }, usesOf(space.settings)) },
    { label: t("used"), nowrap: true, cell: (space) => (space.used_at ? moment(space.used_at) : t("never")) },
    {
      label: t("actions"),
      quiet: true,
      cell: (space) =>
        space.status === "active" &&
        h(
          "div",
          { class: "row tight" },
          h(
            "a",
            {
              class: "button small plain",
              href: withQuery("#/ask", { workspace: space.name }),
              "aria-label": t("askOf", { name: space.name }),
            },
            t("ask"),
          ),
          h(
            "a",
            {
              class: "button small plain",
              href: `#${addressOf(space.name)}`,
              "aria-label": t("settingsOf", { name: space.name }),
            },
            t("settings"),
          ),
        ),
    },
  ];
}

function documentsOf({ documents: { ready, queued, processing, failed } }) {
  const notes = [
    queued + processing && t("reading", { n: number(queued + processing) }),
    failed && t("failed", { n: number(failed) }),
  ].filter(Boolean);
  return [number(ready), notes.map((note) => h("div", { class: "small muted" }, note))];
}

function usesOf({ mode, preset, models, instructions: { language, tone, length, glossary, refusal } }) {
  const wishes = language || tone || length || refusal || Object.keys(glossary).length;
  return (
    [mode && t(mode), preset && t(preset), models.main, wishes && t("wishes")].filter(Boolean).join(", ") || t("usual")
  );
}
