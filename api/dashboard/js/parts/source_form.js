/** A form for a new source of documents: what kind of place, where it is, how often it is read. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { words } from "../i18n.js";
import { notice, trouble } from "./notices.js";
import { workspaceInput } from "./workspaces.js";

const t = words("parts/source_form");

export const kindWord = (kind) => t(kind);
const KINDS = ["folder", "web", "sitemap", "feed", "git", "bucket"];
const SCHEDULES = [
  ["", "whenAsked"],
  [900, "minutes"],
  [3600, "hour"],
  [86_400, "day"],
  [604_800, "week"],
];
const ADDRESSES = new Set(["web", "sitemap", "feed"]);

/** A choice of schedules, in seconds ("": only when asked), with `chosen` among them whatever it is. */
export function scheduleSelect(chosen, properties = {}) {
  const known = SCHEDULES.some(([value]) => String(value) === String(chosen ?? ""));
  const choices = known ? SCHEDULES : [...SCHEDULES, [chosen, "other"]];
  return h(
    "select",
    properties,
    choices.map(([value, name]) =>
      h("option", { value: String(value), selected: String(value) === String(chosen ?? "") }, t(name, { n: value })),
    ),
  );
}

/** The form; `added()` is called after a source was made. */
export function sourceForm(names, added, signal) {
  const problem = h("div");
  const kind = h(
    "select",
    { onchange: () => ofKind() },
    KINDS.map((option) => h("option", { value: option }, t(option))),
  );
  const name = h("input", { required: true, maxlength: "100", autocomplete: "off", spellcheck: "false" });
  const location = h("input", { required: true, maxlength: "2000", autocomplete: "off", spellcheck: "false" });
  const hint = h("span", { class: "hint" });
  const [workspace, suggestions] = workspaceInput({ names, required: true });
  const every = scheduleSelect(3600);
  const own = ownFields();
  const takes = takesFields();
  function ofKind() {
    hint.textContent = t(`${kind.value}Hint`);
    location.type = ADDRESSES.has(kind.value) ? "url" : "text";
    for (const field of own.fields) field.element.hidden = field.kind !== kind.value;
    own.store.required = kind.value === "bucket";
  }
  const create = async (event) => {
    event.preventDefault();
    show(problem);
    try {
      const json = {
        name: name.value.trim(),
        kind: kind.value,
        location: location.value.trim(),
        workspace: workspace.value.trim(),
        every_s: Number(every.value) || null,
        options: { ...own.values(kind.value), ...takes.values() },
      };
      const made = await ask("/v1/sources", { method: "POST", json, signal });
      event.target.reset();
      ofKind();
      notice(t("added", { name: made.name }));
      await added();
    } catch (error) {
      if (!signal.aborted) show(problem, trouble(error));
    }
  };
  ofKind();
  return h(
    "section",
    { class: "card stack", "aria-labelledby": "add" },
    h("h2", { id: "add" }, t("add")),
    h(
      "form",
      { class: "stack", onsubmit: create },
      h(
        "div",
        { class: "sieve top-aligned" },
        h("label", {}, t("kind"), kind),
        h("label", {}, t("location"), location, hint),
        h("label", {}, t("name"), name, h("span", { class: "hint" }, t("nameHint"))),
      ),
      h(
        "div",
        { class: "sieve top-aligned" },
        h("label", {}, t("workspace"), workspace, suggestions),
        h("label", {}, t("every"), every),
        own.fields.map((field) => field.element),
      ),
      takes.element,
      problem,
      h("div", {}, h("button", { class: "primary" }, t("create"))),
    ),
  );
}

/** The fields that only one kind has; `values(kind)` are the options that they say. */
function ownFields() {
  const depth = h("input", { type: "number", min: "0", max: "10", inputmode: "numeric", value: "0" });
  const branch = h("input", { maxlength: "250", autocomplete: "off", spellcheck: "false" });
  const store = h("input", { maxlength: "100", autocomplete: "off", spellcheck: "false" });
  const entries = h("input", { type: "checkbox" });
  const hinted = (name, input) => h("label", {}, t(name), input, h("span", { class: "hint" }, t(`${name}Hint`)));
  const fields = [
    { kind: "web", element: hinted("depth", depth) },
    { kind: "git", element: hinted("branch", branch) },
    { kind: "bucket", element: hinted("store", store) },
    { kind: "feed", element: h("label", { class: "inline" }, entries, t("entries")) },
  ];
  const said = {
    web: () => ({ depth: Number(depth.value) || 0 }),
    git: () => (branch.value.trim() ? { branch: branch.value.trim() } : {}),
    bucket: () => ({ store: store.value.trim() }),
    feed: () => ({ entries: entries.checked }),
  };
  return { fields, store, values: (kind) => said[kind]?.() ?? {} };
}

/** Which items it takes, and what happens to the documents of those that went. */
function takesFields() {
  const patterns = () => h("textarea", { rows: "2", spellcheck: "false", class: "mono" });
  const [include, exclude] = [patterns(), patterns()];
  const whenGone = h(
    "select",
    {},
    h("option", { value: "mark" }, t("mark")),
    h("option", { value: "delete" }, t("remove")),
  );
  const lines = ({ value }) =>
    value
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
  const element = h(
    "details",
    {},
    h("summary", {}, t("more")),
    h(
      "div",
      { class: "sieve top-aligned" },
      h("label", {}, t("include"), include, h("span", { class: "hint" }, t("patterns"))),
      h("label", {}, t("exclude"), exclude, h("span", { class: "hint" }, t("patterns"))),
      h("label", {}, t("whenGone"), whenGone),
    ),
  );
  return { element, values: () => ({ include: lines(include), exclude: lines(exclude), when_gone: whenGone.value }) };
}
