import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { freshStorage, page, startClock, stopClock, wait } from "./support.mjs";

const { Events } = await page("events");

class Socket {
  static OPEN = 1;
  static all = [];

  constructor(address) {
    Object.assign(this, { address: String(address), readyState: 0, sent: [] });
    Socket.all.push(this);
  }

  opens() {
    this.readyState = 1;
    this.onopen();
  }

  says(event) {
    this.onmessage({ data: JSON.stringify(event) });
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.readyState = 3;
    this.onclose();
  }
}

let events, socket, log;

beforeEach(() => {
  freshStorage();
  stopClock();
  Socket.all = [];
  globalThis.WebSocket = Socket;
  globalThis.document = { baseURI: "http://localhost:8765/" };
  log = [];
  const noted = (name) => (about) => log.push([name, about]);
  const handlers = { segment: noted("segment"), people: noted("people"), connected: noted("connected") };
  events = new Events("my manual", 3, handlers);
  [socket] = Socket.all;
});
afterEach(() => {
  events.close();
  startClock();
});

test("the others are told which segment is open, also after it was lost", () => {
  assert.equal(socket.address, "ws://localhost:8765/api/v1/projects/my%20manual/documents/3/events");
  events.moveTo(5);
  socket.opens();
  assert.deepEqual(socket.sent, [{ segment: 5 }]);
  socket.close();
  wait(500);
  Socket.all[1].opens();
  assert.deepEqual(Socket.all[1].sent, [{ segment: 5 }]);
  assert.equal(log.at(-1)[0], "connected");
});

test("those who are there are known by segment, without oneself", () => {
  socket.opens();
  const people = [
    { id: "a", user: "ana", segment: 5 },
    { id: "b", user: "bo", segment: 5 },
    { id: "c", user: null, segment: 6 },
  ];
  socket.says({ event: "hello", you: "a", people });
  assert.deepEqual([events.at(5), events.at(6), events.at(7)], [["bo"], ["somebody"], []]);
  socket.close();
  assert.deepEqual(events.at(5), []);
});

test("what somebody changed is passed on", () => {
  socket.opens();
  socket.says({ event: "segment", segment: { number: 4 }, by: "ana" });
  socket.says({ event: "unheard of" });
  assert.deepEqual(log.at(-1), ["segment", { segment: { number: 4 }, by: "ana" }]);
});
