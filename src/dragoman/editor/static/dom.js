// Creating and finding elements. Text only ever becomes text, never markup.

/** An element with properties (on… are listeners, others attributes) and children. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  fill(element, ...children);
  return element;
}

/** Replace an element's children. */
export function fill(element, ...children) {
  element.replaceChildren(
    ...children.flat(Infinity).filter((each) => each !== null && each !== undefined && each !== false),
  );
  return element;
}

export const find = (id) => document.getElementById(id);

/** A number with thousands separators. */
export const count = (value) => new Intl.NumberFormat("en").format(value);

/** "1 segment", "2 segments". */
export const counted = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/** When something happened: "yesterday, 14:05". */
export function when(time) {
  const then = new Date(time),
    now = new Date();
  const days = Math.round((new Date(now.toDateString()) - new Date(then.toDateString())) / 864e5);
  const clock = then.toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hour12: false });
  if (days === 0) {
    const minutes = Math.round((now - then) / 6e4);
    return minutes < 1 ? "just now" : minutes < 60 ? `${minutes} min ago` : `today, ${clock}`;
  }
  if (days === 1) return `yesterday, ${clock}`;
  return then.toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
}
