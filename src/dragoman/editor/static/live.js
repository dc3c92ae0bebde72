// Completions over a WebSocket. At most one request is in flight; of those that wait for it only the newest is sent.
// When the connection breaks, it is made again, and the last request is repeated.

import { key } from "./api.js";

const SLOW = 1500; // milliseconds after which the server is said to be slow,
const LOST = 12000; // and after which the connection is given up
const PAUSES = [250, 500, 1000, 2000, 4000];

export class Live {
  /** `answered(answer, asked)` gets answers; `changed(state, busy)` gets "online", "slow" or "away". */
  constructor(project, answered, changed) {
    this.address = new URL(`api/v1/projects/${encodeURIComponent(project)}/live`, document.baseURI);
    this.address.protocol = this.address.protocol.replace("http", "ws");
    Object.assign(this, {
      answered,
      changed,
      number: 0,
      flight: null,
      waiting: null,
      opened: null,
      tries: 0,
      closed: false,
    });
    this.connect();
  }

  connect() {
    this.socket = new WebSocket(this.address, ["dragoman", ...(key() ? [`key.${key()}`] : [])]);
    this.socket.onmessage = (event) => this.received(JSON.parse(event.data));
    this.socket.onopen = () => {
      this.tries = 0;
      this.report("online");
      if (this.opened) this.send(this.opened);
    };
    this.socket.onclose = () => this.lost();
  }

  lost() {
    clearTimeout(this.timer);
    this.flight = this.waiting = null;
    if (this.closed) return;
    this.report("away");
    const pause = PAUSES[Math.min(this.tries++, PAUSES.length - 1)];
    this.timer = setTimeout(() => this.connect(), pause);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket.close();
  }

  report(state) {
    const busy = Boolean(this.flight);
    if (state === this.state && busy === this.busy) return;
    Object.assign(this, { state, busy });
    this.changed(state, busy);
  }

  /** Open a segment; requests for another one are dropped. Its completions end before the first word of which the
   *  models are less sure than `least`, 0 to 1. */
  open(document, segment, prefix, words, least = 0) {
    this.opened = { do: "open", document, segment, prefix, words, ...(least > 0 && { least_confidence: least }) };
    this.waiting = null;
    this.ask(this.opened);
  }

  /** A key was pressed. */
  complete(prefix, words) {
    if (!this.opened) return;
    this.opened = { ...this.opened, prefix, words };
    this.ask({ ...this.opened, do: "prefix" });
  }

  /** Another completion of the same prefix. */
  reject(words) {
    if (this.opened) this.ask({ ...this.opened, do: "reject", words });
  }

  ask(asked) {
    if (this.socket.readyState !== WebSocket.OPEN) return; // `opened` is sent when it is
    if (!this.flight) this.send(asked);
    else if (asked.do === "open" || this.waiting?.do !== "open") this.waiting = asked;
    else this.waiting = this.opened; // not open yet: open it with the newest prefix
  }

  send(asked) {
    this.flight = { ...asked, number: ++this.number };
    const { document, segment, ...message } = this.flight;
    if (asked.do === "reject") delete message.prefix;
    this.socket.send(JSON.stringify(asked.do === "open" ? this.flight : message));
    clearTimeout(this.timer);
    this.report("online");
    this.timer = setTimeout(() => {
      this.report("slow");
      this.timer = setTimeout(() => this.socket.close(), LOST);
    }, SLOW);
  }

  /** The engine that was too slow for the first completion has answered: open the segment again. */
  engineAnswered({ silence }) {
    if (!silence && this.opened) this.ask(this.opened);
  }

  received(answer) {
    if (answer.event === "engine") return this.engineAnswered(answer);
    const asked = this.flight;
    if (!asked || answer.number !== asked.number) return;
    clearTimeout(this.timer);
    this.flight = null;
    const next = this.waiting;
    this.waiting = null;
    if (next) this.send(next);
    if (!answer.stale) this.answered(answer, asked);
    this.report("online");
  }
}
