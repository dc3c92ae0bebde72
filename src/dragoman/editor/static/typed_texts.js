// Texts that were typed, on their way to the versions of their segment: whatever stood in the editor for a second is
// kept there, whether it is confirmed, overwritten, in conflict or thrown away later.

import { Unavailable, inside, request } from "./api.js";

const STANDS = 1000; // milliseconds without a change after which a text is kept,
const LONGEST = 5000; // or with changes, while somebody types without a pause
const AGAIN = 3000; // milliseconds before an unreachable server is tried again

export class TypedTexts {
  /** `kept()` is called when the server has taken some. */
  constructor(project, kept = () => {}) {
    Object.assign(this, { project, kept, newest: null, waiting: [], sending: null, since: 0, stopped: false });
  }

  /** The text of a segment has changed. */
  typed(document, number, text) {
    const { newest } = this;
    if (newest && (newest.document !== document || newest.number !== number)) this.flush();
    this.since ||= Date.now();
    this.newest = { document, number, text };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), Math.max(0, Math.min(STANDS, this.since + LONGEST - Date.now())));
  }

  /** Keep a text at once. */
  keep(document, number, text) {
    if (text.trim()) this.waiting.push({ document, number, text });
    this.flush();
  }

  /** Send what was typed; `leaving` when the page is about to go. */
  flush({ leaving = false } = {}) {
    clearTimeout(this.timer);
    if (this.newest?.text.trim()) this.waiting.push(this.newest);
    Object.assign(this, { newest: null, since: 0 });
    if (leaving) for (const each of this.waiting.splice(0)) this.send(each, { keepalive: true }).catch(() => {});
    else this.sending ??= this.sendAll().finally(() => (this.sending = null));
    return this.sending;
  }

  async sendAll() {
    let some = false;
    while (this.waiting.length) {
      try {
        await this.send(this.waiting[0]);
        some = true;
      } catch (error) {
        if (error instanceof Unavailable) {
          if (!this.stopped) this.timer = setTimeout(() => this.flush(), AGAIN);
          break;
        }
        // refused: the document is gone, or nobody may write here any more
      }
      this.waiting.shift();
    }
    if (some) this.kept();
  }

  send({ document, number, text }, options) {
    const place = inside(this.project, `documents/${document}/segments/${number}/versions`);
    return request("POST", place, { target: text }, options);
  }

  stop() {
    this.flush();
    this.stopped = true;
  }
}
