/** One workspace: how its questions are answered, its names, and its end. */
import { h, show } from "../dom.js";
import { ask, withQuery } from "../http.js";
import { languageName, number, words } from "../i18n.js";
import { confirmed } from "../parts/dialogs.js";
import { notice, told, trouble } from "../parts/notices.js";
import { pairs } from "../parts/pairs.js";
import { draw as redraw, go } from "../router.js";
import { addressOf } from "./workspaces.js";

const t = words({
  en: {
    all: "All workspaces",
    ask: "Ask it",
    documents: "Its documents",
    contains: "documents: {d}, passages: {p}",
    settings: "How its questions are answered",
    lead: "Defaults for the questions of this workspace. A question may say otherwise; those that were asked keep what they were asked with.",
    mode: "Evidence",
    preset: "Effort",
    main: "Model that writes",
    fast: "Model that scores and judges",
    models: "By its name in the catalogue; empty: as configured.",
    mode_: "Balanced, as usual",
    preset_: "As configured",
    low: "Low: one passage is enough",
    balanced: "Balanced",
    high: "High: refuse when evidence is thin",
    standard: "Standard",
    cheap: "Low: fewer calls of models",
    instructions: "How answers are written",
    language: "Language of answers",
    language_: "That of the question",
    tone: "Tone",
    toneHint: "For example: formal, addressing customers.",
    length: "Length",
    lengthHint: "For example: at most three sentences.",
    glossary: "Glossary",
    glossaryHint: "Words that you use, and what you mean by them. No source: nothing is cited from it.",
    term: "Term",
    meaning: "Meaning",
    refusal: "What is said in place of “I don't know”",
    refusalHint: "For example: Please ask the help desk, extension 100.",
    schema: "Answers as an object",
    schemaHint:
      "A JSON Schema with an object at its root. Answers then come as such an object, too, filled from verified sentences. Needs a language model; empty: none.",
    schemaBad: "This is no JSON: {why}",
    save: "Save settings",
    saved: "The settings are saved.",
    same: "Nothing was changed.",
    names: "Names",
    name: "Name",
    nameHint:
      "Documents, questions and keys stay; messages that were sent before keep the old name, and programs that use it have to be told.",
    title: "Title",
    titleHint: "How people call it.",
    rename: "Save names",
    renamed: "The names are saved.",
    end: "Delete this workspace",
    endText: "All its documents, and its questions with their history, are deleted. This cannot be undone.",
    remove: "Delete",
    sure: "Delete the workspace {name}?",
    amount: "What goes: documents: {d}, passages: {p}, and every question that was asked here.",
    type: "Type its name to confirm",
    mismatch: "That is not its name; nothing was deleted.",
    gone: "{name} is deleted.",
    going: "{name} is being deleted; that takes a while.",
    deleting: "This workspace is being deleted; it accepts nothing any more.",
  },
  ko: {
    all: "모든 작업 공간",
    ask: "질문하기",
    documents: "문서 보기",
    contains: "문서 {d}개, 구절 {p}개",
    settings: "답변 방식",
    lead: "이 작업 공간에서 하는 질문의 기본값입니다. 질문할 때 다르게 정할 수 있고, 이미 한 질문은 그때의 설정을 유지합니다.",
    mode: "근거 기준",
    preset: "작업량",
    main: "답변을 쓰는 모델",
    fast: "점수를 매기고 판정하는 모델",
    models: "모델 목록에 있는 이름입니다. 비우면 서버 설정을 따릅니다.",
    mode_: "균형(기본값)",
    preset_: "서버 설정값",
    low: "낮음: 구절 하나면 충분",
    balanced: "균형",
    high: "높음: 근거가 부족하면 거절",
    standard: "표준",
    cheap: "적음: 모델 호출을 줄임",
    instructions: "답변 작성 지침",
    language: "답변 언어",
    language_: "질문의 언어",
    tone: "말투",
    toneHint: "예: 고객에게 말하듯 정중하게",
    length: "길이",
    lengthHint: "예: 최대 세 문장",
    glossary: "용어집",
    glossaryHint: "자주 쓰는 말과 그 뜻입니다. 출처가 아니므로 인용하지 않습니다.",
    term: "용어",
    meaning: "뜻",
    refusal: "‘모릅니다’ 대신 할 말",
    refusalHint: "예: 내선 100번으로 문의해 주세요.",
    schema: "객체로 된 답변",
    schemaHint:
      "최상위가 객체인 JSON 스키마입니다. 답변을 검증된 문장에서 채운 객체로도 받습니다. 언어 모델이 필요하며, 비우면 쓰지 않습니다.",
    schemaBad: "JSON이 아닙니다: {why}",
    save: "설정 저장",
    saved: "설정을 저장했습니다.",
    same: "바뀐 내용이 없습니다.",
    names: "이름",
    name: "이름",
    nameHint:
      "문서, 질문, 키는 그대로 남습니다. 이미 보낸 메시지에는 옛 이름이 남으며, 이 이름을 쓰는 프로그램은 고쳐야 합니다.",
    title: "제목",
    titleHint: "사람이 부르는 이름입니다.",
    rename: "이름 저장",
    renamed: "이름을 저장했습니다.",
    end: "작업 공간 삭제",
    endText: "모든 문서와 질문, 그 기록이 삭제됩니다. 되돌릴 수 없습니다.",
    remove: "삭제",
    sure: "작업 공간 {name}을(를) 삭제할까요?",
    amount: "문서 {d}개와 구절 {p}개, 여기서 한 모든 질문이 삭제됩니다.",
    type: "확인을 위해 이름을 입력하세요",
    mismatch: "이름이 다릅니다. 삭제하지 않았습니다.",
    gone: "{name} 작업 공간을 삭제했습니다.",
    going: "{name} 작업 공간을 삭제하는 중입니다. 시간이 조금 걸립니다.",
    deleting: "삭제하는 중인 작업 공간입니다. 더는 아무것도 받지 않습니다.",
  },
});

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
      h("p", { class: "small muted" }, h("bdi", {}, space.name), " · ", amountOf(space)),
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
      problem,
      h("div", {}, h("button", { class: "primary" }, t("save"))),
    ),
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
    const nested = name === "models" || name === "instructions";
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
