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

/**
 * `{ element, body(), workspace(), ask(question) }`; `body()` is what `POST /v1/queries` takes: of the options only
 * those that were chosen. `spaces` are the workspaces there are, with their settings, `given` what the address asks
 * for; what was chosen the last time is chosen again. `submit()` is called when it is sent, `change()` for another
 * workspace. Everything but the question, its workspace and the button stands behind Options, whose button says what
 * differs from the usual.
 */
export function questionForm({ spaces, given, submit, change }) {
  const names = spaces.length ? spaces.map((space) => space.name) : ["default"];
  const before = { workspace: names[0], ...USUAL, ...stored(), ...given };
  // A question that is asked again brings what it was asked with: what the workspace gives anyway was not chosen.
  const inherits = {
    mode: "balanced",
    preset: "standard",
    ...present(spaces.find((space) => space.name === before.workspace)?.settings),
  };
  for (const name of ["mode", "preset"]) if (given[name] === inherits[name]) before[name] = "";
  // One that the address names may be new: it is made by its first document.
  const choices = [...new Set([...names, given.workspace].filter(Boolean))];
  const text = h("textarea", {
    id: "question",
    rows: "2",
    required: true,
    maxlength: "10000",
    placeholder: t("placeholder"),
    dir: "auto",
    "aria-label": t("question"),
    "aria-describedby": "send-hint",
    value: before.question || "",
    onkeydown: (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        element.requestSubmit();
      }
    },
  });
  const workspace = select(
    "workspace",
    choices.map((name) => [name, name]),
    choices.includes(before.workspace) ? before.workspace : choices[0],
  );
  workspace.setAttribute("aria-label", t("workspace"));
  workspace.addEventListener("change", () => {
    tell();
    change();
  });
  const chosen = Object.fromEntries(
    Object.entries(CHOICES).map(([name, values]) => [
      name,
      select(
        name,
        values.map((value) => [value, value && t(value)]),
        before[name],
      ),
    ]),
  );
  const own = h("p", { class: "hint" });
  const verify = h("input", {
    type: "checkbox",
    role: "switch",
    id: "verify",
    "aria-describedby": "verify-hint",
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
    { class: "options", id: "options", hidden: true },
    h(
      "div",
      { class: "switch" },
      h("label", { class: "inline", for: "verify" }, verify, t("verify")),
      h("span", { class: "hint", id: "verify-hint" }, t("verifyHint")),
    ),
    h(
      "div",
      { class: "choices" },
      Object.entries(chosen).map(([name, field]) => labelled(name, field)),
    ),
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
      "aria-controls": "options",
      onclick: () => {
        panel.hidden = !panel.hidden;
        opener.setAttribute("aria-expanded", String(!panel.hidden));
      },
    },
    h("span", { class: "whole" }, t("options")),
    unusual,
  );
  const element = h(
    "form",
    {
      class: "card question",
      onsubmit: (event) => {
        event.preventDefault();
        keep();
        submit();
      },
    },
    text,
    h(
      "div",
      { class: "row spread" },
      h("div", { class: "row tools" }, workspace, opener),
      h("button", { class: "primary ask" }, t("ask")),
    ),
    panel,
    h("p", { class: "hint", id: "send-hint" }, t("send")),
  );
  const values = () => ({
    ...Object.fromEntries(Object.entries(chosen).map(([name, field]) => [name, field.value])),
    verify: verify.checked,
  });
  const keep = () => localStorage.setItem(STORED, JSON.stringify({ workspace: workspace.value, ...values() }));
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
    focus: () => text.focus(),
    ask: (question) => {
      text.value = question;
      element.requestSubmit();
    },
    body: () => ({
      question: text.value.trim(),
      workspace: workspace.value,
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
