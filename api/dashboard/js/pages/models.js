/** Models: what answers now, the servers that run, a trial with its table, and the switch, which needs no restart. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { moment, number, words } from "../i18n.js";
import { confirmed } from "../parts/dialogs.js";
import { notice, told, trouble } from "../parts/notices.js";
import { table } from "../parts/table.js";

const t = words("pages/models");

const HERE = "/v1/model-servers";
const PROGRAMS = { ollama: "Ollama", llamacpp: "llama.cpp", lmstudio: "LM Studio" };
const TICK_MS = 1000;

export async function page(view, { signal }) {
  const now = h("div", { class: "stack" });
  const choosing = h("div", { class: "stack" });
  show(view, h("h1", {}, t("title")), h("p", { class: "muted" }, t("lead")), now, choosing);
  async function load() {
    try {
      const current = await ask(`${HERE}/current`, { signal });
      show(now, inUse(current, load));
      if (current.may_choose) return true;
      show(choosing, h("p", { class: "caution", role: "note" }, current.reason));
    } catch (error) {
      if (!signal.aborted) show(now, trouble(error));
    }
    return false;
  }
  if (!(await load())) return;
  const trial = trying(signal, load);
  show(choosing, nearby(trial, signal), another(trial, signal), trial.element);
}

function inUse(current, changed) {
  const isAlone = current.provider === "offline";
  const drop = async () => {
    if (!(await confirmed(t("dropTitle"), t("dropText"), t("drop")))) return;
    try {
      await ask(`${HERE}/current`, { method: "DELETE" });
      notice(t("dropped"));
    } catch (error) {
      notice(told(error));
    }
    await changed();
  };
  return h(
    "section",
    { class: "card stack", "aria-labelledby": "now" },
    h("h2", { id: "now" }, t("now")),
    isAlone ? h("p", {}, t("alone")) : roles(current),
    !isAlone &&
      h(
        "p",
        { class: "muted" },
        t(current.chosen_by, { when: current.since ? moment(current.since) : "" }),
        " ",
        h("a", { href: "#/ask" }, t("ask")),
      ),
    current.trials.length > 0 && h("details", {}, h("summary", {}, t("lastTrial")), tableOf(current.trials)),
    current.chosen_by === "page" &&
      current.may_choose &&
      h("div", {}, h("button", { type: "button", class: "danger plain", onclick: drop }, t("drop"))),
  );
}

/** Who does what, and where it is. */
function roles({ main, fast, judge, address, is_remote: isRemote }) {
  const facts = [
    [t("writes"), h("bdi", { class: "mono" }, main)],
    [t("judges"), judge === "rules" ? t("rules") : h("bdi", { class: "mono" }, fast)],
    [t("at"), [h("bdi", { class: "mono" }, address), ` (${t(isRemote ? "remote" : "local")})`]],
  ];
  return h(
    "dl",
    { class: "pairs" },
    facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}

function nearby(trial, signal) {
  const result = h("div", { class: "stack", "aria-live": "polite" });
  const again = h("button", { type: "button", class: "small", onclick: () => look() }, t("again"));
  async function look() {
    again.disabled = true;
    show(result, h("progress", { class: "loading", "aria-label": t("looking") }));
    try {
      const { servers } = await ask(HERE, { signal });
      const running = servers.filter(({ state }) => state !== "unreachable");
      const away = servers.filter(({ state, name }) => state === "unreachable" && name);
      show(
        result,
        running.map((server) => found(server, trial)),
        !running.length && h("p", {}, t("noneRuns")),
        away.length > 0 &&
          h(
            "details",
            { open: !running.length },
            h("summary", {}, t("start")),
            h(
              "ul",
              {},
              away.map(({ name, start }) => h("li", {}, `${PROGRAMS[name]}: `, h("code", {}, start))),
            ),
          ),
      );
    } catch (error) {
      if (!signal.aborted) show(result, trouble(error));
    }
    again.disabled = false;
  }
  look();
  return h(
    "section",
    { class: "card stack", "aria-labelledby": "nearby" },
    h("h2", { id: "nearby" }, t("nearby")),
    result,
    h("div", {}, again),
  );
}

/** A server that answers, with its models to choose from. */
function found({ name, address, models, state, detail }, trial) {
  const title = PROGRAMS[name] || address;
  if (state !== "ok") return h("p", {}, h("strong", {}, title), " ", detail);
  if (!models.length) return h("p", {}, h("strong", {}, title), " ", t("noModels"));
  const choice = select(models, t("modelOf", { server: title }));
  const judge = judges(true);
  const start = (event) => {
    event.preventDefault();
    trial.start({ address, model: choice.value, preset: judge.value });
  };
  return h(
    "form",
    { class: "stack", onsubmit: start },
    h("h3", {}, title, name && [" ", h("bdi", { class: "small muted mono" }, address)]),
    h("div", { class: "sieve" }, h("label", {}, t("model"), choice), h("label", {}, t("judge"), judge), tryButton()),
  );
}

function another(trial, signal) {
  const kind = h(
    "select",
    { onchange: () => draw() },
    ["openai_compatible", "groq"].map((value) => h("option", { value }, t(value))),
  );
  const address = h("input", {
    class: "mono",
    inputmode: "url",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "https://example.com/v1",
    oninput: () => draw(),
  });
  const key = h("input", { type: "password", class: "mono", autocomplete: "off", spellcheck: "false" });
  const place = h("label", {}, t("address"), address, h("span", { class: "hint" }, t("addressHint")));
  const models = h("div", { class: "stack" });
  const problem = h("div");
  const given = () => ({ provider: kind.value, address: address.value.trim() || null, key: key.value });
  /** Another server has other models. */
  function draw() {
    place.hidden = kind.value === "groq";
    address.required = !place.hidden;
    show(models);
    show(problem);
  }
  async function list(event) {
    event.preventDefault();
    draw();
    const server = given();
    try {
      const listed = await ask(`${HERE}/models`, { method: "POST", json: server, signal });
      show(models, listed.detail, chosenFrom(listed.models, { ...server, address: listed.address }, trial));
    } catch (error) {
      if (!signal.aborted) show(problem, trouble(error));
    }
  }
  draw();
  return h(
    "section",
    { class: "card stack", "aria-labelledby": "another" },
    h("h2", { id: "another" }, t("another")),
    h(
      "form",
      { class: "stack", onsubmit: list },
      h("label", { class: "short" }, t("kind"), kind),
      place,
      h("label", { class: "short" }, t("key"), key, h("span", { class: "hint" }, t("keyHint"))),
      problem,
      h("div", {}, h("button", {}, t("list"))),
    ),
    models,
  );
}

function chosenFrom(names, server, trial) {
  const usual = server.provider === "groq" ? names.find((name) => name.endsWith("gpt-oss-120b")) : null;
  const choice = names.length
    ? select(names, t("model"), usual)
    : // Some servers list nothing.
      h("input", { required: true, class: "mono", autocomplete: "off", spellcheck: "false" });
  const judge = judges(false);
  const start = (event) => {
    event.preventDefault();
    trial.start({ ...server, model: choice.value.trim(), preset: judge.value });
  };
  return h(
    "form",
    { class: "sieve", onsubmit: start },
    h("label", {}, t("model"), choice),
    h("label", {}, t("judge"), judge),
    tryButton(),
  );
}

const tryButton = () => h("button", { class: "primary" }, t("try"));

function select(names, label, chosen) {
  return h(
    "select",
    { class: "mono", "aria-label": label },
    names.map((value) => h("option", { value, selected: value === chosen }, value)),
  );
}

/** Who judges: a small model writes well, and judges badly. */
function judges(isSmall) {
  return h(
    "select",
    { "aria-label": t("judge") },
    ["small", "standard"].map((value) => h("option", { value, selected: (value === "small") === isSmall }, t(value))),
  );
}

/** The trial of one model after the other: its progress, its table, and what a switch changes. */
function trying(signal, changed) {
  const result = h("div", { class: "stack" });
  const heading = h("h2", { id: "trial", tabindex: "-1" }, t("trial"));
  const element = h("section", { class: "card stack", "aria-labelledby": "trial", hidden: true }, heading, result);
  let isBusy = false;
  async function start(server) {
    if (isBusy) return;
    isBusy = true;
    element.hidden = false;
    heading.focus();
    const began = Date.now();
    const time = h("span", {}, "0");
    const clock = setInterval(() => (time.textContent = number(Math.round((Date.now() - began) / 1000))), TICK_MS);
    show(
      result,
      h("p", { role: "status" }, t("tryingModel", { model: server.model })),
      h("progress", { class: "loading", "aria-label": t("trial") }),
      h("p", { class: "muted" }, t("patience"), " ", time, " s"),
    );
    try {
      const json = { provider: "openai_compatible", ...server };
      let tried = await ask(`${HERE}/trials`, { method: "POST", json, signal });
      while (tried.status === "running") {
        await new Promise((resolve) => setTimeout(resolve, TICK_MS));
        tried = await ask(`${HERE}/trials/${tried.id}`, { signal });
      }
      show(result, tried.status === "passed" ? usable(tried, use) : unusable(tried));
      element.scrollIntoView({ block: "start" });
    } catch (error) {
      if (!signal.aborted) show(result, trouble(error));
    } finally {
      clearInterval(clock);
      isBusy = false;
    }
  }
  async function use(tried, problem) {
    try {
      await ask(`${HERE}/current`, { method: "PUT", json: { trial_id: tried.id }, signal });
    } catch (error) {
      return show(problem, trouble(error));
    }
    element.hidden = true;
    notice(t("used", { model: tried.models.main }));
    await changed();
    const now = document.getElementById("now");
    now.tabIndex = -1;
    now.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  return { element, start };
}

function unusable(tried) {
  return [
    h("p", { class: "problem", role: "alert" }, h("strong", {}, t("unusable")), " ", t("unchanged")),
    tableOf(tried.trials),
  ];
}

function usable(tried, use) {
  const { models } = tried;
  const slowest = Math.max(...tried.trials.map(({ seconds }) => seconds));
  const problem = h("div");
  const changes = [
    t("willWrite", { model: models.main }),
    models.judge === "rules" ? t("willRules") : t("willJudge", { model: models.fast }),
    models.is_remote ? t("willSend", { address: models.address }) : t("willStay", { address: models.address }),
    models.is_remote && t(models.has_price ? "willCost" : "willCostUnknown"),
    t("willTake", { n: number(slowest, 2) }),
    t("willKeep"),
  ];
  return [
    h("p", { role: "status" }, h("strong", {}, t("works"))),
    tableOf(tried.trials),
    h("h3", {}, t("changes")),
    h(
      "ul",
      {},
      changes.filter(Boolean).map((line) => h("li", {}, line)),
    ),
    h(
      "details",
      {},
      h("summary", {}, t("settings")),
      h(
        "pre",
        { tabindex: "0" },
        tried.settings.map(({ name, value }) => `${name}: ${JSON.stringify(value)}`).join("\n"),
      ),
    ),
    problem,
    h("div", {}, h("button", { type: "button", class: "primary", onclick: () => use(tried, problem) }, t("use"))),
  ];
}

function tableOf(trials) {
  const columns = [
    { name: t("tried"), cell: ({ tried }) => tried },
    { name: t("found"), cell: ({ passed, found }) => [passed ? "✓ " : "✕ ", found === "ok" ? t("ok") : found] },
    { name: t("seconds"), number: true, cell: ({ seconds }) => number(seconds, 2) },
  ];
  if (new Set(trials.map(({ model }) => model)).size > 1) {
    columns.unshift({ name: t("model"), cell: ({ model }) => h("bdi", { class: "mono" }, model) });
  }
  return table({ caption: t("table"), columns, rows: trials });
}
