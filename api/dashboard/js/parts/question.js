/** The form of a question: where it is asked, how it is worked on, whether its answer is verified. */
import { h, show } from "../dom.js";
import { languageName, words } from "../i18n.js";

const t = words("parts/question");

const STORED = "citewell.chosen";
const CHOICES = {
  mode: ["", "low", "balanced", "high"],
  run: ["structured", "agentic", "multiagent"],
  preset: ["", "standard", "cheap"],
};
const NUMBERS = {
  multi_query: { min: 0, max: 5, step: 1 },
  confidence_threshold: { min: 0, max: 1, step: "any" },
  deadline_s: { min: 1, max: 86400, step: 1 },
  max_cost_usd: { min: 0, step: "any" },
};

// An empty choice is not sent: then that of the workspace holds, else the server's.
const USUAL = { mode: "", run: "structured", preset: "", verify: true };

let made = 0; // boxes, whose parts have ids of their own

/**
 * A box to ask in, `{ element, text, focus() }`: Enter sends. `send(question)` is awaited: the box is empty again when
 * it is done, and keeps its text when it throws, after it told why. `tools` stand beside the button, `below` under them.
 */
export function questionBox({ label, placeholder = label, action, value = "", send, tools = [], below = null }) {
  const hint = `send-hint-${++made}`;
  const text = h("textarea", {
    rows: "1",
    required: true,
    maxlength: "10000",
    placeholder,
    dir: "auto",
    "aria-label": label,
    "aria-describedby": hint,
    value,
    onkeydown: (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        element.requestSubmit();
      }
    },
  });
  const button = h("button", { class: "primary ask" }, action);
  const element = h(
    "form",
    {
      class: "card question",
      onsubmit: async (event) => {
        event.preventDefault();
        if (!text.value.trim() || button.disabled) return;
        button.disabled = true;
        try {
          await send(text.value.trim());
          text.value = "";
        } catch {
          // It was told where it happened.
        }
        button.disabled = false;
      },
    },
    text,
    h("div", { class: "row spread" }, h("div", { class: "row tools" }, tools), button),
    below,
    h("p", { class: "hint", id: hint }, t("send")),
  );
  return { element, text, focus: () => text.focus() };
}

/** The choices of how a question is worked on: `{ elements, fields, values() }`, with what `before` chose. */
export function choiceFields(before) {
  const fields = Object.fromEntries(
    Object.entries(CHOICES).map(([name, values]) => [
      name,
      select(
        name,
        values.map((value) => [value, value ? t(value) : t("usually")]),
        before[name],
      ),
    ]),
  );
  return {
    fields,
    elements: Object.entries(fields).map(([name, field]) => labelled(name, field)),
    values: () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value || undefined])),
  };
}

/**
 * `{ element, body(), workspace(), ask(question), focus() }`; `body()` is what asking takes: of the options only those
 * that were chosen. `spaces` are the workspaces there are, with their settings, `given` what the address asks for; what
 * was chosen the last time is chosen again. `place` is the workspace where there is no choice. `submit()` is called
 * when it is sent, `change()` for another workspace. Everything but the question, its workspace and the button stands
 * behind Options, whose button says what differs from the usual.
 */
export function questionForm({ spaces, given = {}, place = "", label = t("question"), submit, change = () => {} }) {
  const names = spaces.length ? spaces.map((space) => space.name) : ["default"];
  const before = { workspace: names[0], ...USUAL, ...stored(), ...given, ...(place && { workspace: place }) };
  // A question that is asked again brings what it was asked with: what the workspace gives anyway was not chosen.
  const inherits = {
    mode: "balanced",
    preset: "standard",
    ...present(spaces.find((space) => space.name === before.workspace)?.settings),
  };
  for (const name of ["mode", "preset"]) if (given[name] === inherits[name]) before[name] = "";
  // One that the address names may be new: it is made by its first document.
  const places = [...new Set([...names, given.workspace, place].filter(Boolean))];
  const workspace = select(
    "workspace",
    places.map((name) => [name, name]),
    places.includes(before.workspace) ? before.workspace : places[0],
  );
  workspace.setAttribute("aria-label", t("workspace"));
  workspace.addEventListener("change", () => {
    tell();
    change();
  });
  const choices = choiceFields(before);
  const chosen = choices.fields;
  const own = h("p", { class: "hint" });
  const verify = h("input", {
    type: "checkbox",
    role: "switch",
    id: `verify-${made}`,
    "aria-describedby": `verify-hint-${made}`,
    checked: before.verify,
  });
  const graph = select(
    "graph",
    [["", t("asConfigured")], ...["naive", "local", "global", "hybrid", "mix"].map((value) => [value, t(value)])],
    "",
  );
  const numbers = Object.fromEntries(
    Object.entries(NUMBERS).map(([name, limits]) => [
      name,
      h("input", { type: "number", placeholder: t("asConfigured"), ...limits }),
    ]),
  );
  const panel = h(
    "div",
    { class: "options", id: `options-${made}`, hidden: true },
    h(
      "div",
      { class: "switch" },
      h("label", { class: "inline", for: verify.id }, verify, t("verify")),
      h("span", { class: "hint", id: `verify-hint-${made}` }, t("verifyHint")),
    ),
    h("div", { class: "choices" }, choices.elements),
    own,
    h(
      "details",
      { class: "small" },
      h("summary", {}, t("more")),
      h(
        "div",
        { class: "choices" },
        labelled("graph", graph),
        Object.entries(numbers).map(([name, field]) => labelled(name, field)),
      ),
    ),
  );
  const unusual = h("span", { class: "unusual" });
  const opener = h(
    "button",
    {
      type: "button",
      class: "plain small",
      "aria-expanded": "false",
      "aria-controls": panel.id,
      onclick: () => {
        panel.hidden = !panel.hidden;
        opener.setAttribute("aria-expanded", String(!panel.hidden));
      },
    },
    h("span", { class: "whole" }, t("options")),
    unusual,
  );
  const { element, text, focus } = questionBox({
    label,
    placeholder: place ? label : t("placeholder"),
    action: t("ask"),
    value: before.question || "",
    tools: [!place && workspace, opener],
    below: panel,
    send: async () => {
      keep();
      await submit();
    },
  });
  text.id = "question"; // there is one form on a page
  const values = () => ({
    ...Object.fromEntries(Object.entries(chosen).map(([name, field]) => [name, field.value])),
    verify: verify.checked,
  });
  const keep = () => localStorage.setItem(STORED, JSON.stringify({ ...stored(), ...kept(), ...values() }));
  const kept = () => (place ? {} : { workspace: workspace.value });
  const numeric = (name) => (numbers[name].value === "" ? undefined : Number(numbers[name].value));
  function tell() {
    const now = values();
    const settings = spaces.find((space) => space.name === workspace.value)?.settings;
    for (const name of ["mode", "preset"]) chosen[name].options[0].textContent = inheritedWord(name, settings);
    const told = Object.keys(CHOICES)
      .filter((name) => now[name] !== USUAL[name])
      .map((name) => `${t(name)}: ${brief(now[name])}`);
    const inherited =
      !now.mode && settings?.mode ? [`${t("mode")}: ${brief(settings.mode)} (${t("ofWorkspace")})`] : [];
    unusual.textContent = [...inherited, ...told, ...(now.verify ? [] : [t("unverified")])]
      .map((part) => ` · ${part}`)
      .join("");
    const uses = usesOf(settings);
    show(
      own,
      uses.length > 0 && [t("uses", { list: uses.join(", ") }), " "],
      settings && h("a", { href: `#/workspaces/${encodeURIComponent(workspace.value)}` }, t("settings")),
    );
  }
  panel.addEventListener("change", tell);
  tell();
  return {
    element,
    workspace: () => workspace.value,
    focus,
    ask: (question) => {
      text.value = question;
      element.requestSubmit();
    },
    body: () => ({
      question: text.value.trim(),
      ...kept(),
      ...Object.fromEntries(
        Object.keys(CHOICES)
          .filter((name) => chosen[name].value !== USUAL[name])
          .map((name) => [name, chosen[name].value]),
      ),
      enable_verification: verify.checked,
      retrieval: { graph: graph.value || undefined, multi_query: numeric("multi_query") },
      verification: { show_claims: true, confidence_threshold: numeric("confidence_threshold") },
      deadline_s: numeric("deadline_s"),
      max_cost_usd: numeric("max_cost_usd"),
    }),
  };
}

function inheritedWord(name, settings) {
  if (settings?.[name]) return t("asWorkspace", { value: brief(settings[name]) });
  return name === "mode" ? t("usual", { value: brief("balanced") }) : t("usually");
}

const present = (values = {}) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
const brief = (value) => t(value).split(":")[0];

/** What of a workspace's settings is not told by the choices above. */
function usesOf(settings) {
  if (!settings) return [];
  const {
    models,
    instructions: { language: code, tone, length, glossary, refusal },
  } = settings;
  const wishes = tone || length || refusal || Object.keys(glossary).length;
  return [
    code && t("language", { value: languageName(code) }),
    models.main && t("main", { value: models.main }),
    wishes && t("wishes"),
  ].filter(Boolean);
}

function select(name, options, value) {
  return h(
    "select",
    { name },
    options.map(([option, text]) => h("option", { value: option, selected: option === value }, text)),
  );
}

const labelled = (name, field) => h("label", {}, t(name), field);

function stored() {
  try {
    return JSON.parse(localStorage.getItem(STORED)) || {};
  } catch {
    return {};
  }
}
