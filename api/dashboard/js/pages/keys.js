/** Keys: the one this page uses, and those of the tenant: made, shown once, revoked. */
import { h, show } from "../dom.js";
import { address, ask, problemOf } from "../http.js";
import { moment, number, words } from "../i18n.js";
import { forgetKey, isKept, storeKey, storedKey } from "../key.js";
import { confirmed, showSecret } from "../parts/dialogs.js";
import { notice, told, trouble } from "../parts/notices.js";
import { records } from "../parts/records.js";

const t = words({
  en: {
    title: "Keys",
    off: "This server asks for no key: it listens on this machine only, and acts for the tenant “default”. Keys made here count as soon as it is reachable from elsewhere.",
    required: "This server asks for a key with every request.",
    own: "The key this page uses",
    ownHint: "It is sent to this server only.",
    keep: "Keep it in this browser",
    keepHint: "Otherwise it is forgotten when this tab is closed.",
    kept: "It is kept in this browser.",
    key: "Key",
    use: "Use this key",
    forget: "Forget it",
    used: "This page uses the key now.",
    forgotten: "The key is forgotten.",
    none: "This page sends no key.",
    sends: "This page sends {key}.",
    make: "Make a key",
    name: "Name",
    nameHint: "What it is for: the program or the person.",
    scopes: "What it may do",
    read: "read: documents, questions and their history",
    ask: "ask: questions and verifications",
    documents: "documents: add and delete them",
    webhooks: "webhooks: manage and look at them",
    admin: "admin: keys, and everything above",
    days: "Expires after days",
    daysHint: "Empty: never.",
    limit: "Requests per minute",
    limitHint: "Empty: as the server is configured.",
    create: "Make the key",
    once: "The key “{name}”",
    onceText: "It is shown now and never again. Keep it where your program finds it.",
    list: "Keys of this tenant",
    empty: "There is no key yet.",
    scopesShort: "Scopes",
    state: "State",
    created: "Made",
    last: "Last used",
    expires: "Expires",
    actions: "Actions",
    active: "active",
    expired: "expired",
    revoked: "revoked",
    never: "never",
    revoke: "Revoke",
    revokeOf: "Revoke {name}",
    sure: "Revoke the key “{name}”?",
    warning: "Within 5 seconds no server accepts it any more. This cannot be undone.",
    gone: "“{name}” is revoked.",
    perMinute: "{n} a minute",
    noScope: "Choose what it may do.",
  },
  ko: {
    title: "키",
    off: "이 서버는 키를 요구하지 않습니다. 이 컴퓨터에서 오는 요청만 받으며 테넌트 “default”로 동작합니다. 여기서 만든 키는 외부에서 접속할 수 있게 되면 쓰입니다.",
    required: "이 서버는 모든 요청에 키를 요구합니다.",
    own: "이 페이지가 쓰는 키",
    ownHint: "이 서버에만 보냅니다.",
    keep: "이 브라우저에 보관",
    keepHint: "선택하지 않으면 탭을 닫을 때 지워집니다.",
    kept: "이 브라우저에 보관되어 있습니다.",
    key: "키",
    use: "이 키 사용",
    forget: "키 지우기",
    used: "이제 이 키를 사용합니다.",
    forgotten: "키를 지웠습니다.",
    none: "이 페이지는 키를 보내지 않습니다.",
    sends: "이 페이지는 {key} 키를 보냅니다.",
    make: "키 만들기",
    name: "이름",
    nameHint: "어떤 프로그램이나 사람이 쓰는지 적습니다.",
    scopes: "권한",
    read: "read: 문서, 질문과 기록 보기",
    ask: "ask: 질문과 검증",
    documents: "documents: 문서 추가와 삭제",
    webhooks: "webhooks: 웹훅 관리와 보기",
    admin: "admin: 키 관리와 위의 모든 권한",
    days: "만료까지 일수",
    daysHint: "비우면 만료되지 않습니다.",
    limit: "분당 요청 수",
    limitHint: "비우면 서버 설정을 따릅니다.",
    create: "만들기",
    once: "키 “{name}”",
    onceText: "지금 한 번만 보입니다. 프로그램이 쓸 수 있는 곳에 보관하세요.",
    list: "이 테넌트의 키",
    empty: "아직 키가 없습니다.",
    scopesShort: "권한",
    state: "상태",
    created: "만든 때",
    last: "마지막 사용",
    expires: "만료",
    actions: "작업",
    active: "사용 중",
    expired: "만료됨",
    revoked: "폐기됨",
    never: "없음",
    revoke: "폐기",
    revokeOf: "{name} 폐기",
    sure: "키 “{name}”을(를) 폐기할까요?",
    warning: "5초 안에 모든 서버가 이 키를 거부합니다. 되돌릴 수 없습니다.",
    gone: "“{name}” 키를 폐기했습니다.",
    perMinute: "분당 {n}회",
    noScope: "권한을 선택하세요.",
  },
});

const SCOPES = ["read", "ask", "documents", "webhooks", "admin"];

export async function page(view, { signal }) {
  const list = listed(signal);
  const readiness = h("p", { class: "muted" });
  show(view, h("h1", {}, t("title")), readiness, ownKey(list.load), making(list.load, signal), list.element);
  await Promise.all([list.load(), required(signal).then((needed) => readiness.append(t(needed ? "required" : "off")))]);
}

/** Whether keys are asked for; what is not ready yet says so, too, with a 503 that `ask` would throw. */
async function required(signal) {
  const response = await fetch(address("/readyz"), { signal, cache: "no-store" });
  return (await response.json()).keys === "required";
}

function ownKey(changed) {
  const field = h("input", {
    type: "password",
    class: "mono",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    placeholder: "cw_…",
  });
  const keep = h("input", { type: "checkbox", checked: isKept() });
  const now = h("p", { role: "status" });
  const problem = h("div");
  const forget = h(
    "button",
    {
      type: "button",
      onclick: () => {
        forgetKey();
        draw();
        notice(t("forgotten"));
        changed();
      },
    },
    t("forget"),
  );
  function draw() {
    const key = storedKey();
    show(now, key ? t("sends", { key: `${key.slice(0, 16)}…` }) : t("none"), key && isKept() && ` ${t("kept")}`);
    forget.hidden = !key;
  }
  const use = async (event) => {
    event.preventDefault();
    show(problem);
    const key = field.value.trim();
    try {
      await check(key);
    } catch (error) {
      return show(problem, trouble(error));
    }
    storeKey(key, { keep: keep.checked });
    field.value = "";
    draw();
    notice(t("used"));
    changed();
  };
  draw();
  return h(
    "section",
    { class: "card stack", "aria-labelledby": "own" },
    h("h2", { id: "own" }, t("own")),
    now,
    h(
      "form",
      { class: "stack", onsubmit: use },
      h("label", { class: "short" }, t("key"), field, h("span", { class: "hint" }, t("ownHint"))),
      h("div", {}, h("label", { class: "inline" }, keep, t("keep")), h("span", { class: "hint" }, t("keepHint"))),
      problem,
      h("div", { class: "row" }, h("button", { class: "primary" }, t("use")), forget),
    ),
  );
}

/** Ask for something with the key. One that may do nothing here but something else is right, too: that is a 403. */
async function check(key) {
  const response = await fetch(address("/v1/models"), {
    headers: { Authorization: `Bearer ${key}` },
    cache: "no-store",
  });
  if (!response.ok && response.status !== 403) throw await problemOf(response);
}

function making(made, signal) {
  const problem = h("div");
  const name = h("input", { required: true, maxlength: "100", autocomplete: "off" });
  const scopes = SCOPES.map((scope) =>
    h("input", { type: "checkbox", value: scope, checked: scope === "read" || scope === "ask" }),
  );
  const [days, limit] = [3650, 1_000_000].map((max) =>
    h("input", { type: "number", min: "1", max: String(max), inputmode: "numeric" }),
  );
  const create = async (event) => {
    event.preventDefault();
    const chosen = scopes.filter((box) => box.checked).map((box) => box.value);
    if (!chosen.length) return show(problem, h("p", { class: "problem", role: "alert" }, t("noScope")));
    show(problem);
    try {
      const json = {
        name: name.value.trim(),
        scopes: chosen,
        expires_in_days: Number(days.value) || null,
        requests_per_minute: Number(limit.value) || null,
      };
      const key = await ask("/v1/keys", { method: "POST", json, signal });
      event.target.reset();
      await Promise.all([made(), showSecret(t("once", { name: key.name }), t("onceText"), key.key)]);
    } catch (error) {
      show(problem, trouble(error));
    }
  };
  return h(
    "section",
    { class: "card", "aria-labelledby": "make" },
    h("h2", { id: "make" }, t("make")),
    h(
      "form",
      { class: "stack", onsubmit: create },
      h("label", { class: "short" }, t("name"), name, h("span", { class: "hint" }, t("nameHint"))),
      h(
        "fieldset",
        { class: "stack tight" },
        h("legend", {}, t("scopes")),
        scopes.map((box) => h("label", { class: "inline" }, box, t(box.value))),
      ),
      h(
        "div",
        { class: "sieve top-aligned" },
        h("label", {}, t("days"), days, h("span", { class: "hint" }, t("daysHint"))),
        h("label", {}, t("limit"), limit, h("span", { class: "hint" }, t("limitHint"))),
      ),
      problem,
      h("div", {}, h("button", { class: "primary" }, t("create"))),
    ),
  );
}

function listed(signal) {
  const result = h("div");
  const rows = records(t("list"), [
    {
      label: t("name"),
      cell: (key) => [h("bdi", {}, key.name), h("div", { class: "small muted mono" }, `cw_${key.id}_…`)],
    },
    {
      label: t("scopesShort"),
      cell: (key) => [
        key.scopes.join(", "),
        key.requests_per_minute &&
          h("div", { class: "small muted" }, t("perMinute", { n: number(key.requests_per_minute) })),
      ],
    },
    { label: t("state"), cell: stateOf },
    { label: t("created"), cell: (key) => moment(key.created_at) },
    { label: t("last"), cell: (key) => (key.last_used_at ? moment(key.last_used_at) : t("never")) },
    { label: t("expires"), cell: (key) => (key.expires_at ? moment(key.expires_at) : t("never")) },
    {
      label: t("actions"),
      quiet: true,
      cell: (key) =>
        !key.revoked_at &&
        h(
          "div",
          { class: "row tight" },
          h(
            "button",
            {
              type: "button",
              class: "small danger plain",
              "aria-label": t("revokeOf", { name: key.name }),
              onclick: () => revoke(key),
            },
            t("revoke"),
          ),
        ),
    },
  ]);
  async function load() {
    try {
      const { keys } = await ask("/v1/keys", { signal });
      rows.update(keys);
      show(result, keys.length ? rows.element : h("p", { class: "empty" }, t("empty")));
    } catch (error) {
      if (!signal.aborted) show(result, trouble(error));
    }
  }
  async function revoke({ id, name }) {
    if (!(await confirmed(t("sure", { name }), t("warning"), t("revoke")))) return;
    try {
      await ask(`/v1/keys/${id}`, { method: "DELETE" });
      notice(t("gone", { name }));
    } catch (error) {
      notice(told(error));
    }
    await load();
  }
  const element = h(
    "section",
    { class: "card stack", "aria-labelledby": "list" },
    h("h2", { id: "list" }, t("list")),
    result,
  );
  return { element, load };
}

function stateOf({ revoked_at: revoked, expires_at: expires }) {
  const state = revoked ? "revoked" : expires && new Date(expires) < new Date() ? "expired" : "active";
  return h("span", { class: `badge ${state === "active" ? "supported" : "no_claim"}` }, t(state));
}
