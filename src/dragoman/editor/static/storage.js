// What the browser keeps: preferences, and what belongs to segments. If its storage is full or switched off, the page
// keeps everything in memory and works on; only a reload loses it then.

import { tab } from "./tab.js";

const storage = {
  get(name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },

  /** Whether the value could be stored. */
  set(name, value) {
    try {
      localStorage.setItem(name, value);
      return true;
    } catch {
      return false;
    }
  },

  remove(name) {
    try {
      localStorage.removeItem(name);
    } catch {
      // nothing is stored, so there is nothing to remove
    }
  },

  entries(prefix) {
    try {
      return Object.entries(localStorage).filter(([name]) => name.startsWith(prefix));
    } catch {
      return [];
    }
  },
};

/** A preference of the person at this browser. */
export const preference = (name, otherwise) => storage.get(`dragoman:${name}`) ?? otherwise;
export const setPreference = (name, value) => void storage.set(`dragoman:${name}`, value);

/** Values of one kind for the segments of a project, of one tab: two tabs on one segment have one each. */
export class SegmentStore {
  constructor(kind, project, owner = tab) {
    this.prefix = `dragoman:${kind}:${project}:`;
    this.owner = owner;
    this.unstored = new Map(); // what did not fit into the browser's storage
  }

  name(document, number) {
    return `${this.prefix}${document}:${number}:${this.owner}`;
  }

  get(document, number) {
    const name = this.name(document, number);
    return JSON.parse(this.unstored.get(name) ?? storage.get(name));
  }

  /** There is only ever one copy: an older one would come back, in this visit or after a reload. */
  set(document, number, value) {
    const name = this.name(document, number),
      text = JSON.stringify({ ...value, document, number, tab: this.owner });
    this.unstored.delete(name);
    if (storage.set(name, text)) return;
    storage.remove(name);
    this.unstored.set(name, text);
  }

  delete(document, number) {
    const name = this.name(document, number);
    storage.remove(name);
    this.unstored.delete(name);
  }

  /** All values of this tab, oldest first. */
  all() {
    return this.everything().filter((each) => each.tab === this.owner);
  }

  /** The values of all tabs, oldest first. */
  everything() {
    const found = [...storage.entries(this.prefix), ...this.unstored].map(([, text]) => JSON.parse(text));
    return found.sort((one, other) => one.time - other.time);
  }

  /** Take over what tabs that are no longer open have left behind: of several values for a segment, the newest. Returns
   *  those that there was no room for. */
  adopt(isOpen) {
    const left = this.everything().filter(({ tab: owner }) => owner !== this.owner && !isOpen(owner));
    const lost = [];
    for (const { tab: owner, document, number, ...value } of left.reverse()) {
      if (this.get(document, number)) lost.push({ document, number, ...value });
      else this.set(document, number, value);
      storage.remove(`${this.prefix}${document}:${number}${owner === undefined ? "" : `:${owner}`}`);
    }
    return lost;
  }
}
