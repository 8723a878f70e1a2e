/** Links that open an answer without a key: made for a time, copied, ended. */
import { h, show } from "../dom.js";
import { ask } from "../http.js";
import { moment, words } from "../i18n.js";
import { copied, opened } from "./dialogs.js";
import { notice, told, trouble } from "./notices.js";

const t = words("parts/sharing");

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
    h("div", { class: "row labelled" }, h("label", {}, t("valid"), hours), make),
    made,
    list,
    h("div", { class: "row end" }, h("button", { value: "" }, t("close"))),
  ]);
}
