/** One workspace: how its questions are answered, its names, and its end. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { languageName, number, words } from "../i18n.js";
import { confirmed } from "../parts/dialogs.js";
import { notice, told, trouble } from "../parts/notices.js";
import { pairs } from "../parts/pairs.js";
import { draw as redraw, go } from "../router.js";
import { addressOf } from "./workspaces.js";

const t = words("pages/workspace");

// Those that a refusal can be in, too (docs/workspaces.md).
const LANGUAGES = ["en", "ko", "de", "fr", "es", "it", "pt", "nl", "ru", "ar", "ja", "zh"];

/** `#/workspaces/NAME`. */
export async function page(view, { params: { name }, signal }) {
  const path = `/v1/workspaces/${encodeURIComponent(name)}`;
  const space = await ask(path, { signal });
  document.title = `${space.title || space.name} · Citewell`;
  const head = h(
    "header",
    { class: "query-head" },
    h("p", { class: "small" }, h("a", { href: "#/workspaces" }, t("all"))),
    h("h1", { dir: "auto" }, space.title || space.name),
    h(
      "div",
      { class: "row spread" },
      h("p", { class: "small muted" }, space.title && [h("bdi", {}, space.name), " · "], amountOf(space)),
      h(
        "div",
        { class: "row" },
        h("a", { class: "button", href: withQuery("#/documents", { workspace: name }) }, t("documents")),
        h("a", { class: "button primary", href: withQuery("#/ask", { workspace: name }) }, t("ask")),
      ),
    ),
  );
  if (space.status === "deleting") return void show(view, head, h("p", { class: "caution" }, t("deleting")));
  show(view, head, settingsForm(space, path), namesForm(space, path), removal(space, path));
}

const amountOf = ({ documents, passages }) => t("contains", { d: number(documents.ready), p: number(passages) });

function settingsForm({ settings }, path) {
  const { models, instructions } = settings;
  const problem = h("div");
  const select = (name, options, value, text) =>
    h(
      "select",
      { name },
      h("option", { value: "" }, t(`${name}_`)),
      options.map((option) => h("option", { value: option, selected: option === value }, text(option))),
    );
  const input = (name, value, hint) =>
    h(
      "label",
      {},
      t(name),
      h("input", { name, maxlength: "300", dir: "auto", value: value ?? "", autocomplete: "off" }),
      hint && h("span", { class: "hint" }, t(hint)),
    );
  const glossary = pairs({ values: instructions.glossary, names: [t("term"), t("meaning")], numbers: false });
  const send = async (event) => {
    event.preventDefault();
    show(problem);
    let wanted;
    try {
      wanted = read(event.target.elements, glossary.values());
    } catch (error) {
      return show(problem, h("p", { class: "caution", role: "alert" }, t("schemaBad", { why: error.message })));
    }
    const change = changed(settings, wanted);
    if (!Object.keys(change).length) return notice(t("same"));
    await ask(path, { method: "PATCH", json: { settings: change } })
      .then(() => {
        notice(t("saved"));
        return redraw();
      })
      .catch((error) => show(problem, trouble(error)));
  };
  return h(
    "section",
    { class: "card", "aria-labelledby": "settings" },
    h("h2", { id: "settings" }, t("settings")),
    h("p", { class: "small muted" }, t("lead")),
    h(
      "form",
      { class: "stack", onsubmit: send },
      h(
        "div",
        { class: "sieve top-aligned" },
        h("label", {}, t("mode"), select("mode", ["low", "balanced", "high"], settings.mode, t)),
        h("label", {}, t("preset"), select("preset", ["standard", "cheap"], settings.preset, t)),
        input("main", models.main, "models"),
        input("fast", models.fast, "models"),
      ),
      h("h3", {}, t("instructions")),
      h(
        "div",
        { class: "sieve top-aligned" },
        h("label", {}, t("language"), select("language", LANGUAGES, instructions.language, languageName)),
        input("tone", instructions.tone, "toneHint"),
        input("length", instructions.length, "lengthHint"),
      ),
      input("refusal", instructions.refusal, "refusalHint"),
      h(
        "fieldset",
        { class: "stack tight" },
        h("legend", {}, t("glossary")),
        h("p", { class: "hint" }, t("glossaryHint")),
        glossary.element,
      ),
      h(
        "label",
        {},
        t("schema"),
        h(
          "textarea",
          { name: "schema", rows: "4", spellcheck: "false", dir: "ltr" },
          settings.answer_schema ? JSON.stringify(settings.answer_schema, null, 2) : "",
        ),
        h("span", { class: "hint" }, t("schemaHint")),
      ),
      reviewFields(settings.review),
      problem,
      h("div", {}, h("button", { class: "primary" }, t("save"))),
    ),
  );
}

const RULES = ["contradicted", "conflicts", "unread", "hold"];

/** Which answers a person has to see. */
function reviewFields(review) {
  const tick = (name) =>
    h("label", { class: "inline" }, h("input", { type: "checkbox", name, checked: review[name] }), t(name));
  return h(
    "fieldset",
    { class: "stack tight" },
    h("legend", {}, t("review")),
    h("p", { class: "hint" }, t("reviewHint")),
    h(
      "label",
      { class: "short" },
      t("below"),
      h("input", {
        name: "below",
        type: "number",
        min: "0.01",
        max: "1",
        step: "0.01",
        value: review.confidence_below ?? "",
      }),
      h("span", { class: "hint" }, t("belowHint")),
    ),
    RULES.map(tick),
    h("label", {}, t("email"), h("input", { name: "email", maxlength: "2000", value: review.email.join(", ") })),
  );
}

function read(fields, glossary) {
  const of = (name) => fields.namedItem(name).value.trim() || null; // one of them is called "length"
  const schema = of("schema");
  return {
    mode: of("mode"),
    preset: of("preset"),
    answer_schema: schema && JSON.parse(schema),
    models: { main: of("main"), fast: of("fast") },
    review: {
      confidence_below: of("below") && Number(of("below")),
      ...Object.fromEntries(RULES.map((name) => [name, fields.namedItem(name).checked])),
      email: (of("email") ?? "").split(",").flatMap((address) => address.trim() || []),
    },
    instructions: {
      language: of("language"),
      tone: of("tone"),
      length: of("length"),
      refusal: of("refusal"),
      glossary,
    },
  };
}

/** Only what differs: somebody else may have changed the rest meanwhile. */
function changed(before, now) {
  const kept = {};
  for (const [name, value] of Object.entries(now)) {
    const nested = ["models", "instructions", "review"].includes(name);
    const difference = nested ? changed(before[name], value) : value;
    if (nested ? Object.keys(difference).length : JSON.stringify(before[name]) !== JSON.stringify(value))
      kept[name] = difference;
  }
  return kept;
}

function namesForm(space, path) {
  const problem = h("div");
  const name = h("input", {
    required: true,
    maxlength: "100",
    value: space.name,
    autocomplete: "off",
    spellcheck: "false",
  });
  const title = h("input", { maxlength: "200", value: space.title ?? "", dir: "auto", autocomplete: "off" });
  const send = async (event) => {
    event.preventDefault();
    show(problem);
    try {
      const now = await ask(path, {
        method: "PATCH",
        json: { name: name.value.trim(), title: title.value.trim() || null },
      });
      notice(t("renamed"));
      if (now.name === space.name) await redraw();
      else go(addressOf(now.name));
    } catch (error) {
      show(problem, trouble(error));
    }
  };
  return h(
    "section",
    { class: "card", "aria-labelledby": "names" },
    h("h2", { id: "names" }, t("names")),
    h(
      "form",
      { class: "stack", onsubmit: send },
      h(
        "div",
        { class: "sieve top-aligned" },
        h("label", {}, t("name"), name, h("span", { class: "hint" }, t("nameHint"))),
        h("label", {}, t("title"), title, h("span", { class: "hint" }, t("titleHint"))),
      ),
      problem,
      h("div", {}, h("button", {}, t("rename"))),
    ),
  );
}

function removal(space, path) {
  return h(
    "section",
    { class: "card", "aria-labelledby": "end" },
    h("h2", { id: "end" }, t("end")),
    h("p", {}, t("endText")),
    h("button", { type: "button", class: "danger", onclick: () => remove(space, path) }, t("remove")),
  );
}

async function remove(space, path) {
  const { name, documents, passages } = space;
  const typed = h("input", { autocomplete: "off", spellcheck: "false" });
  if (
    !(await confirmed(
      t("sure", { name }),
      t("amount", { d: number(documents.ready), p: number(passages) }),
      t("remove"),
      h("label", {}, t("type"), typed),
    ))
  )
    return;
  if (typed.value.trim() !== name) return void notice(t("mismatch"));
  try {
    const left = await ask(withQuery(path, { confirm: name }), { method: "DELETE" });
    notice(t(left ? "going" : "gone", { name }));
    go("/workspaces");
  } catch (error) {
    notice(told(error));
  }
}
