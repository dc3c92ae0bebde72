// What other people do in the same document, as it happens: changed segments, comments, terms, and who is where.

import { key } from "./api.js";

const PAUSES = [500, 1000, 2000, 5000];

export class Events {
  /** `handlers` has a function for each event: segment, segments, people, comment, document, glossary, deleted, reload;
   *  and `connected()` when a lost connection is there again. */
  constructor(project, document_, handlers) {
    const place = `api/v1/projects/${encodeURIComponent(project)}/documents/${document_}/events`;
    this.address = new URL(place, document.baseURI);
    this.address.protocol = this.address.protocol.replace("http", "ws");
    Object.assign(this, { handlers, you: null, people: [], segment: null, tries: 0, closed: false, before: false });
    this.connect();
  }

  connect() {
    this.socket = new WebSocket(this.address, ["dragoman", ...(key() ? [`key.${key()}`] : [])]);
    this.socket.onmessage = (message) => this.received(JSON.parse(message.data));
    this.socket.onopen = () => {
      this.tries = 0;
      this.tell();
      if (this.before) this.handlers.connected?.();
      this.before = true;
    };
    this.socket.onclose = () => this.lost();
  }

  lost() {
    this.show([]);
    if (this.closed) return;
    this.timer = setTimeout(() => this.connect(), PAUSES[Math.min(this.tries++, PAUSES.length - 1)]);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket.close();
  }

  /** Tell the others which segment is open here. */
  moveTo(segment) {
    this.segment = segment;
    this.tell();
  }

  tell() {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ segment: this.segment }));
  }

  received({ event, ...about }) {
    if (event === "hello") this.you = about.you;
    if (about.people) return this.show(about.people);
    this.handlers[event]?.(about);
  }

  show(people) {
    this.people = people.filter(({ id }) => id !== this.you);
    this.handlers.people?.(this.people);
  }

  /** The names of others who have a segment open. */
  at(segment) {
    return this.people.filter((each) => each.segment === segment).map(({ user }) => user ?? "somebody");
  }
}
