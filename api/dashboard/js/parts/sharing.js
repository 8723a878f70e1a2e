/** Links that open an answer without a key: made for a time, copied, ended. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { moment, words } from "../i18n.js";
import { copied, opened } from "./dialogs.js";
import { notice, told, trouble } from "./notices.js";

const t = words({
  en: {
    share: "Share",
    title: "Share this answer",
    lead: "Whoever has the link reads the question, the answer, the cited words and the verdicts, without a key. The rest of the documents stays closed.",
    valid: "Valid for",
    h1: "1 hour",
    h24: "1 day",
    h168: "7 days",
    h720: "30 days",
    make: "Make a link",
    link: "The link",
    copy: "Copy",
    once: "It is shown now and never again.",
    open: "Links that are open",
    until: "until {time}",
    end: "End it",
    endOf: "End the link until {time}",
    ended: "The link opens nothing any more.",
    none: "No link is open.",
    close: "Close",
  },
  ko: {
    share: "공유",
    title: "이 답변 공유",
    lead: "링크를 아는 사람은 키 없이 질문, 답변, 인용한 말과 판정을 볼 수 있습니다. 문서의 나머지 내용은 공개되지 않습니다.",
    valid: "유효 기간",
    h1: "1시간",
    h24: "1일",
    h168: "7일",
    h720: "30일",
    make: "링크 만들기",
    link: "링크",
    copy: "복사",
    once: "지금 한 번만 보입니다.",
    open: "열려 있는 링크",
    until: "{time}까지",
    end: "끝내기",
    endOf: "{time}까지인 링크 끝내기",
    ended: "이제 이 링크로는 아무것도 열리지 않습니다.",
    none: "열려 있는 링크가 없습니다.",
    close: "닫기",
  },
});

const HOURS = [1, 24, 168, 720];

/** A button that opens the dialog; `path` is that of the question. */
export function shareButton(path) {
  return h("button", { type: "button", "aria-haspopup": "dialog", onclick: () => dialog(path) }, t("share"));
}

async function dialog(path) {
  const made = h("div", { class: "stack tight" });
  const list = h("div", { role: "status" });
  const hours = h(
    "select",
    {},
    HOURS.map((span) => h("option", { value: String(span), selected: span === 24 }, t(`h${span}`))),
  );
  const make = h(
    "button",
    {
      type: "button",
      class: "primary",
      onclick: async () => {
        make.disabled = true;
        try {
          const { url } = await ask(`${path}/share`, { method: "POST", json: { hours: Number(hours.value) } });
          const field = h("input", {
            readonly: true,
            class: "mono",
            "aria-label": t("link"),
            value: url,
            onfocus: () => field.select(),
          });
          show(
            made,
            h(
              "div",
              { class: "row secret" },
              field,
              h("button", { type: "button", onclick: () => copied(field) }, t("copy")),
            ),
            h("p", { class: "hint" }, t("once")),
          );
          field.focus();
          await load();
        } catch (error) {
          show(made, trouble(error));
        }
        make.disabled = false;
      },
    },
    t("make"),
  );
  async function load() {
    try {
      const { shares } = await ask(`${path}/share`);
      const open = shares.filter((share) => !share.revoked_at && new Date(share.expires_at) > new Date());
      show(
        list,
        h("h3", {}, t("open")),
        open.length
          ? h("ul", { class: "plain-list stack tight" }, open.map(entry))
          : h("p", { class: "small muted" }, t("none")),
      );
    } catch (error) {
      show(list, h("p", { class: "small muted" }, told(error)));
    }
  }
  function entry({ id, expires_at: expires }) {
    const time = moment(expires);
    return h(
      "li",
      { class: "row spread" },
      t("until", { time }),
      h(
        "button",
        {
          type: "button",
          class: "small danger plain",
          "aria-label": t("endOf", { time }),
          onclick: async () => {
            try {
              await ask(`${path}/share/${id}`, { method: "DELETE" });
              notice(t("ended"));
              show(made);
            } catch (error) {
              notice(told(error));
            }
            await load();
            make.focus();
          },
        },
        t("end"),
      ),
    );
  }
  load();
  await opened(t("title"), [
    h("p", { class: "small" }, t("lead")),
    h("div", { class: "row" }, h("label", {}, t("valid"), hours), make),
    made,
    list,
    h("div", { class: "row end" }, h("button", { value: "" }, t("close"))),
  ]);
}
