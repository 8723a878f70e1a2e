/**
 * Elements without markup: text given here can only ever become text. There is no other way to make elements in this
 * page.
 */

/**
 * Make an element: `h("p", { class: "small" }, "text", child, …)`. Properties that begin with `on` are listeners,
 * `dataset` and `style` are objects (custom properties included), booleans set or leave out an attribute; null,
 * undefined and false children are left out; arrays are spread.
 */
export function h(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children);
}

/** The same for SVG. */
export function svg(name, properties = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), properties, children);
}

/** Put `children` in the place of everything in `element`. */
export function show(element, ...children) {
  element.replaceChildren(...wanted(children));
  return element;
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) give(element, name, value);
  element.append(...wanted(children));
  return element;
}

function give(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "dataset") Object.assign(element.dataset, value);
  else if (name === "style") for (const [key, rule] of Object.entries(value)) element.style.setProperty(key, rule);
  else if (name === "value") element.value = value;
  else if (name === "href") element.setAttribute(name, safeAddress(value));
  else element.setAttribute(name, value === true ? "" : value);
}

/** Addresses lead into this page or to the web, never to a script, whatever text they come from. */
function safeAddress(address) {
  return /^(#|\/|https?:\/\/)/i.test(address) ? address : "#";
}

function wanted(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}
