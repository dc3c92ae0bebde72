// Stand-ins for what the modules of the page expect of a browser: storage with a limit, a server, a few elements.

import { mock } from "node:test";

export const page = (name) => import(new URL(`../../../src/dragoman/editor/static/${name}.js`, import.meta.url));

/** Web storage that holds at most `room` characters; as in a browser, the items are its own properties. */
export class Storage {
  #room;

  constructor(room = Infinity) {
    this.#room = room;
  }

  get length() {
    return Object.keys(this).length;
  }

  key(n) {
    return Object.keys(this)[n] ?? null;
  }

  getItem(name) {
    return Object.hasOwn(this, name) ? this[name] : null;
  }

  setItem(name, value) {
    const others = Object.entries(this).filter(([each]) => each !== name);
    const taken = others.reduce((sum, [each, text]) => sum + each.length + text.length, 0);
    if (taken + name.length + value.length > this.#room) throw new Error("QuotaExceededError");
    this[name] = value;
  }

  removeItem(name) {
    delete this[name];
  }
}

/** Fresh storage, as in a browser that has never seen the page. */
export function freshStorage(room) {
  globalThis.localStorage = new Storage(room);
  globalThis.sessionStorage = new Storage();
}

/** Answer requests with `handle(method, path, body)`: a value, an Error (unreachable), or { status, error }. */
export function serve(handle) {
  const requests = [];
  globalThis.fetch = async (path, { method = "GET", body } = {}) => {
    const sent = { method, path: path.replace("api/v1/", ""), body: body && JSON.parse(body) };
    requests.push(sent);
    const found = await handle(sent.method, sent.path, sent.body);
    if (found instanceof Error) throw found;
    const status = found?.status ?? 200;
    return { status, ok: status < 400, json: async () => (status < 400 ? found : { error: found.error }) };
  };
  return requests;
}

/** A promise that the test settles itself. */
export function deferred() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}

/** Let everything that is ready to run do so. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

class Element {
  constructor(tag) {
    Object.assign(this, { tag, children: [], attributes: {}, listeners: {}, parent: null });
  }

  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }

  removeAttribute(name) {
    delete this.attributes[name];
  }

  addEventListener(name, listener) {
    this.listeners[name] = listener;
  }

  append(...children) {
    for (const child of children) {
      if (child instanceof Element) child.parent = this;
      this.children.push(child);
    }
  }

  replaceChildren(...children) {
    this.children = [];
    this.append(...children);
  }

  remove() {
    if (this.parent) this.parent.children = this.parent.children.filter((each) => each !== this);
    this.parent = null;
  }

  get firstChild() {
    return this.children[0];
  }

  /** Only `[data-name="…"]` among the children, which is all that notices look for. */
  querySelector(selector) {
    const name = /^\[data-name="(.*)"\]$/.exec(selector)[1];
    return this.children.find((each) => each.attributes["data-name"] === name) ?? null;
  }

  click() {
    this.listeners.click();
  }

  get textContent() {
    return this.children.map((each) => (each instanceof Element ? each.textContent : String(each))).join("");
  }

  /** All elements of a kind below this one. */
  all(tag) {
    const below = this.children.filter((each) => each instanceof Element);
    return below.flatMap((each) => [...(each.tag === tag ? [each] : []), ...each.all(tag)]);
  }
}

/** A document with these named elements; returns them by name. */
export function freshDocument(...names) {
  const found = Object.fromEntries(names.map((name) => [name, new Element("div")]));
  globalThis.document = {
    createElement: (tag) => new Element(tag),
    getElementById: (name) => found[name] ?? null,
  };
  return found;
}

/** Timers that stand still until the test moves them. */
export const stopClock = () => mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000_000 });
export const startClock = () => mock.timers.reset();
export const wait = (milliseconds) => mock.timers.tick(milliseconds);

/** A pattern like the server's: a group of tags, and other things in which no tags are to be seen. */
export const TAGS = "https?:\\S+|(?<tag></?[A-Za-z][^<>]*>|%s)";
