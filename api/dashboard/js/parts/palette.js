/** Going anywhere by the keyboard: pages and settings, workspaces, documents and questions, found by their words. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { words } from "../i18n.js";
import { go } from "../router.js";
import { workspacesByUse } from "./workspaces.js";

const t = words("parts/palette");

const EACH = 6;
const PAUSE_MS = 150; // of somebody who types
let open = null;

/**
 * Open it over the page, or close the open one. `commands` are `{ label, act, always }`: the page's own; those that are
 * not `always` there have to be typed.
 */
export function palette(commands) {
  if (open) return open.close();
  const back = document.activeElement;
  const leaving = new AbortController();
  const list = h("div", { role: "listbox", id: "palette-list", "aria-label": t("title") });
  const status = h("p", { class: "sr-only", role: "status" });
  const input = h("input", {
    type: "text",
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": "palette-list",
    "aria-autocomplete": "list",
    "aria-label": t("find"),
    placeholder: t("find"),
    maxlength: "200",
    autocomplete: "off",
    spellcheck: "false",
    autofocus: true,
    onkeydown: pressed,
    oninput: () => {
      draw();
      later();
    },
  });
  const dialog = h(
    "dialog",
    {
      class: "palette",
      "aria-label": t("title"),
      onclose: closed,
      onclick: (event) => event.target === dialog && dialog.close(),
    },
    input,
    list,
    status,
    h("p", { class: "hint", "aria-hidden": "true" }, t("help")),
  );
  const state = {
    chosen: 0,
    entries: [],
    spaces: [],
    results: { questions: [], documents: [] },
    asked: 0,
    timer: 0,
    went: false,
  };
  open = dialog;
  document.body.append(dialog);
  dialog.showModal();
  draw();
  workspacesByUse(leaving.signal).then((spaces) => {
    state.spaces = spaces;
    draw();
  });
  look();

  function closed() {
    open = null;
    leaving.abort();
    clearTimeout(state.timer);
    dialog.remove();
    if (!state.went && back?.isConnected) back.focus();
  }
  function later() {
    clearTimeout(state.timer);
    state.timer = setTimeout(look, PAUSE_MS);
  }
  /** What the server finds; until then, and where it does not answer, there is what the page knows by itself. */
  async function look() {
    const asking = ++state.asked;
    const text = input.value.trim();
    const { signal } = leaving;
    const [asked, stored] = await Promise.all([
      ask(withQuery("/v1/history", { kind: "answer", text, limit: EACH }), { signal }).catch(() => ({ entries: [] })),
      text
        ? ask(withQuery("/v1/documents", { name_contains: text, limit: EACH }), { signal }).catch(() => ({
            documents: [],
          }))
        : { documents: [] },
    ]);
    if (asking !== state.asked || signal.aborted) return;
    state.results = { questions: asked.entries, documents: stored.documents };
    draw();
  }
  function draw() {
    const text = input.value.trim();
    const groups = groupsOf(text, commands, state);
    state.entries = groups.flatMap(([, entries]) => entries);
    state.chosen = Math.min(state.chosen, Math.max(0, state.entries.length - 1));
    let place = 0;
    show(
      list,
      groups.map(([name, entries]) =>
        h(
          "div",
          { role: "group", "aria-labelledby": `palette-${name}` },
          h("div", { class: "small muted heading", id: `palette-${name}` }, t(name)),
          entries.map((entry) => option(entry, place++)),
        ),
      ),
    );
    status.textContent = state.entries.length ? t("count", { n: state.entries.length }) : t("none");
    if (!state.entries.length)
      show(list, h("div", { role: "option", "aria-disabled": "true", class: "muted" }, t("none")));
    mark();
  }
  function option(entry, place) {
    return h(
      "div",
      {
        role: "option",
        id: `palette-option-${place}`,
        dir: "auto",
        onclick: () => take(entry),
        onpointermove: () => {
          if (state.chosen !== place) {
            state.chosen = place;
            mark();
          }
        },
      },
      h("span", {}, entry.label),
      entry.note && h("span", { class: "small muted" }, entry.note),
    );
  }
  function mark() {
    const options = [...list.querySelectorAll("[role=option]")];
    options.forEach((item, place) =>
      item.setAttribute("aria-selected", String(place === state.chosen && state.entries.length > 0)),
    );
    if (state.entries.length) input.setAttribute("aria-activedescendant", `palette-option-${state.chosen}`);
    else input.removeAttribute("aria-activedescendant");
    options[state.chosen]?.scrollIntoView({ block: "nearest" });
  }
  function pressed(event) {
    const last = state.entries.length - 1;
    const steps = {
      ArrowDown: state.chosen >= last ? 0 : state.chosen + 1,
      ArrowUp: state.chosen <= 0 ? last : state.chosen - 1,
      PageDown: Math.min(last, state.chosen + EACH),
      PageUp: Math.max(0, state.chosen - EACH),
    };
    if (event.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      if (state.entries.length) take(state.entries[state.chosen]);
    } else if (event.key in steps && last >= 0) {
      event.preventDefault();
      state.chosen = steps[event.key];
      mark();
    }
  }
  function take(entry) {
    const before = location.hash;
    state.went = true;
    dialog.close();
    entry.act();
    // Where the page stays, the keyboard goes back to where it was.
    if (location.hash === before)
      (back?.isConnected && back !== document.body ? back : document.getElementById("main")).focus();
  }
}

/** `[name, entries]`: what fits `text`, in the order that it is shown in. */
function groupsOf(text, commands, { spaces, results }) {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (...texts) => wanted.every((word) => texts.join(" ").toLowerCase().includes(word));
  const own = commands.filter((command) =>
    text ? fits(command.label, command.words || "") : command.always && command.words !== "ask",
  );
  const named = spaces.filter((space) => fits(space.name, space.title || "", t("spaces"))).slice(0, text ? EACH : 3);
  const asking = {
    label: text ? t("ask", { text }) : t("asking"),
    act: () => go(withQuery("/ask", { question: text })),
  };
  const groups = [
    ...(text ? [["pages", own]] : [["asking", [asking]]]),
    [
      "spaces",
      named.flatMap((space) => [
        {
          label: space.title || space.name,
          note: space.title && space.name,
          act: () => go(withQuery("/ask", { workspace: space.name })),
        },
        ...(text
          ? [
              {
                label: space.title || space.name,
                note: t("settings"),
                act: () => go(`/workspaces/${encodeURIComponent(space.name)}`),
              },
            ]
          : []),
      ]),
    ],
    [
      "questions",
      results.questions
        .slice(0, text ? EACH : 3)
        .map((query) => ({ label: query.question, note: query.workspace, act: () => go(`/thread/${query.id}`) })),
    ],
    [
      "documents",
      results.documents.map((document) => ({
        label: document.filename,
        note: document.workspace,
        act: () => go(`/document/${document.id}`),
      })),
    ],
  ];
  groups.push(text ? ["asking", [asking]] : ["pages", own]);
  return groups.filter(([, entries]) => entries.length > 0);
}
