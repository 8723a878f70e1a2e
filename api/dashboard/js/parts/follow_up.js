/** A box for the next question of a conversation, or for an earlier one in other words. */
import { h } from "../dom.js";
import { words } from "../i18n.js";

const t = words("parts/follow_up");

/**
 * `{ element, focus() }`. `send(question)` is awaited: the box is empty again when it is done, and keeps its text when
 * it throws. `more` are elements beside the button.
 */
export function questionBox({ label, action, value = "", send, more = [] }) {
  const hint = `hint-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
  const text = h("textarea", {
    rows: "2",
    required: true,
    maxlength: "10000",
    dir: "auto",
    "aria-label": label,
    placeholder: label,
    "aria-describedby": hint,
    value,
    onkeydown: (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        element.requestSubmit();
      }
    },
  });
  const button = h("button", { class: "primary" }, action);
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
        } finally {
          button.disabled = false;
        }
      },
    },
    text,
    h("div", { class: "row spread" }, h("div", { class: "row tools" }, more), button),
    h("p", { class: "hint", id: hint }, t("hint")),
  );
  return { element, focus: () => text.focus() };
}
