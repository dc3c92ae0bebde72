// Changes of segments that the server has not acknowledged yet. They are kept in the browser, so that neither a reload
// nor an unreachable server loses any. Sending a change twice is safe: the server learns it once.

import { Unavailable, inside, put } from "./api.js";
import { SegmentStore } from "./storage.js";

const PAUSES = [300, 700, 1500, 3000, 5000]; // milliseconds between attempts

export class Outbox extends SegmentStore {
  /** `handlers` has: saved(segment, milliseconds), refused(item, error), waiting(count). */
  constructor(project, handlers) {
    super("unsent", project);
    Object.assign(this, { project, handlers, attempts: 0, latest: 0, sending: null, flight: null });
  }

  /** Whether this window is just sending a text for a segment; other windows share what waits, but not this. */
  isSending(document, number, target) {
    const { flight } = this;
    return flight?.document === document && flight.number === number && flight.change.target === target;
  }

  /** Send a change of a segment, after those before it; resolves when all are acknowledged or refused. */
  add(document, number, change) {
    this.latest = Math.max(Date.now(), this.latest + 1); // no two changes have the same time
    this.set(document, number, { change, time: this.latest });
    return this.flush();
  }

  flush() {
    clearTimeout(this.timer);
    this.timer = null;
    this.sending ??= this.sendAll().finally(() => {
      this.sending = null;
      if (!this.timer && this.all().length) this.flush(); // added while the last answer arrived
    });
    return this.sending;
  }

  async sendAll() {
    for (let item; (item = this.all()[0]);) {
      try {
        await this.send(item);
        this.attempts = 0;
      } catch (error) {
        if (error instanceof Unavailable) {
          const pause = PAUSES[Math.min(this.attempts++, PAUSES.length - 1)];
          this.timer = setTimeout(() => this.flush(), pause);
          break;
        }
        if (!this.newer(item)) this.delete(item.document, item.number);
        this.handlers.refused(item, error);
      }
    }
    this.handlers.waiting(this.all().length);
  }

  async send(item) {
    const { document, number, change } = item,
      begin = performance.now();
    this.flight = item;
    const place = inside(this.project, `documents/${document}/segments/${number}`);
    const segment = await put(place, change).finally(() => (this.flight = null));
    const newer = this.newer(item);
    if (!newer) this.delete(document, number);
    else if (newer.change.version === change.version) {
      // It was made before the answer came: build on our own change, instead of being in conflict with it.
      this.set(document, number, { ...newer, change: { ...newer.change, version: segment.version } });
    }
    this.handlers.saved(segment, performance.now() - begin);
  }

  /** The change of the same segment that replaced this one meanwhile, or null. */
  newer({ document, number, time }) {
    const newest = this.get(document, number);
    return newest && newest.time !== time ? newest : null;
  }
}
