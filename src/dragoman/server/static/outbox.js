// What was confirmed and is not acknowledged yet, and drafts. Both are kept in the browser, so that neither a reload nor
// a server that is away loses anything. Confirming the same twice learns once, so sending again is always safe.

import { Away, inside, put } from "./api.js";

const PAUSES = [300, 700, 1500, 3000, 5000];

/** A drawer of the browser's storage for one project. */
class Drawer {
  constructor(kind, project) {
    this.prefix = `dragoman:${kind}:${project}:`;
    this.memory = new Map(); // where the browser keeps nothing, or is full
  }

  name(document, number) {
    return `${this.prefix}${document}:${number}`;
  }

  get(document, number) {
    const name = this.name(document, number);
    return JSON.parse(this.memory.get(name) ?? localStorage.getItem(name));
  }

  set(document, number, value) {
    const name = this.name(document, number),
      text = JSON.stringify({ document, number, ...value });
    try {
      localStorage.setItem(name, text);
    } catch {
      this.memory.set(name, text);
    }
  }

  delete(document, number) {
    const name = this.name(document, number);
    localStorage.removeItem(name);
    this.memory.delete(name);
  }

  all() {
    const kept = Object.entries(localStorage).filter(([name]) => name.startsWith(this.prefix));
    const found = Object.values({ ...Object.fromEntries(kept), ...Object.fromEntries(this.memory) });
    return found.map((text) => JSON.parse(text)).sort((one, other) => one.time - other.time);
  }
}

export class Drafts extends Drawer {
  constructor(project) {
    super("draft", project);
  }
}

export class Outbox extends Drawer {
  /** `told` has: saved(segment, milliseconds), refused(item, error), waiting(count). */
  constructor(project, told) {
    super("unsent", project);
    Object.assign(this, { project, told, tries: 0, sending: null });
  }

  /** Send a change of a segment, after those before it; resolves when all are acknowledged or refused. */
  add(document, number, change) {
    this.set(document, number, { change, time: Date.now() });
    return this.flush();
  }

  flush() {
    clearTimeout(this.timer);
    this.timer = null;
    this.sending ??= this.sendAll().finally(() => {
      this.sending = null;
      if (!this.timer && this.all().length) this.flush(); // something came while the last answer did
    });
    return this.sending;
  }

  async sendAll() {
    for (let item; (item = this.all()[0]);) {
      try {
        await this.send(item);
        this.tries = 0;
      } catch (error) {
        if (error instanceof Away) {
          const pause = PAUSES[Math.min(this.tries++, PAUSES.length - 1)];
          this.timer = setTimeout(() => this.flush(), pause);
          break;
        }
        this.delete(item.document, item.number);
        this.told.refused(item, error);
      }
    }
    this.told.waiting(this.all().length);
  }

  async send({ document, number, change, time }) {
    const begin = performance.now();
    const segment = await put(inside(this.project, `documents/${document}/segments/${number}`), change);
    const newest = this.get(document, number);
    if (!newest || newest.time === time) this.delete(document, number);
    this.told.saved(segment, performance.now() - begin);
  }
}
