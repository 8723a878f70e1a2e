/** Questions before something is done that cannot be undone, and secrets that are shown once. */
import { h } from "../dom.js";
import { words } from "../i18n.js";
import { notice } from "./notices.js";

const t = words("parts/dialogs");

/** Ask before `action`; `true` when it was chosen. `more` are elements between text and buttons. */
export function confirmed(title, text, action, ...more) {
  const yes = h("button", { class: "danger", value: "yes" }, action);
  const buttons = h("div", { class: "row end" }, h("button", { value: "", autofocus: true }, t("cancel")), yes);
  return opened(title, [h("p", {}, text), ...more, buttons]).then((value) => value === "yes");
}

/** Show a secret that cannot be shown again; resolves when the dialog is closed. */
export function showSecret(title, text, secret) {
  const shown = h("input", {
    readonly: true,
    class: "mono",
    "aria-label": title,
    autofocus: true,
    onfocus: () => shown.select(),
  });
  shown.value = secret;
  const copy = h("button", { type: "button", class: "primary", onclick: () => copied(shown) }, t("copy"));
  return opened(title, [
    h("p", {}, text),
    h("div", { class: "row secret" }, shown, copy),
    h("div", { class: "row end" }, h("button", {}, t("close"))),
  ]);
}

/** Put the text of an input into the clipboard; without https a browser has none, and the text is selected instead. */
export async function copied(input) {
  input.select();
  try {
    await navigator.clipboard.writeText(input.value);
    notice(t("copied"));
  } catch {
    input.focus();
  }
}

/**
 * Enter in a field is what the dialog is for; browsers press its first button, which leaves it. On a tick it does nothing
 * that cannot be undone.
 */
function enters(event) {
  const meant = event.currentTarget.querySelector("button[value=yes]");
  if (event.key !== "Enter" || event.isComposing || !event.target.matches("input") || !meant) return;
  event.preventDefault();
  const isTick = event.target.matches("[type=radio], [type=checkbox]");
  if (!isTick || !meant.matches(".danger")) event.currentTarget.requestSubmit(meant);
}

/**
 * A dialog with a form of `content`; resolves to the value of the button that closed it, "" for Escape, and when another
 * page is opened: a dialog is a part of the page that asks.
 */
export function opened(title, content) {
  const back = document.activeElement;
  const heading = h("h2", { id: `dialog-${crypto.getRandomValues(new Uint32Array(1))[0]}` }, title);
  const dialog = h(
    "dialog",
    { "aria-labelledby": heading.id },
    h("form", { method: "dialog", class: "stack", onkeydown: enters }, heading, content),
  );
  document.body.append(dialog);
  dialog.showModal();
  const left = () => dialog.close("");
  window.addEventListener("hashchange", left);
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => {
      window.removeEventListener("hashchange", left);
      dialog.remove();
      if (back?.isConnected) back.focus();
      resolve(dialog.returnValue);
    }),
  );
}
