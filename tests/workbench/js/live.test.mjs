import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { freshStorage, page, startClock, stopClock, wait } from "./support.mjs";

const { Live } = await page("live");

class Socket {
  static OPEN = 1;
  static all = [];

  constructor(address, protocols) {
    Object.assign(this, { address: String(address), protocols, readyState: 0, sent: [] });
    Socket.all.push(this);
  }

  opens() {
    this.readyState = 1;
    this.onopen();
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  /** The server answers the newest message. */
  answers(answer = {}) {
    this.onmessage({ data: JSON.stringify({ number: this.sent.at(-1).number, ...answer }) });
  }

  close() {
    this.readyState = 3;
    this.onclose();
  }
}

let live, socket, answers, states;

beforeEach(() => {
  freshStorage();
  stopClock();
  Socket.all = [];
  globalThis.WebSocket = Socket;
  globalThis.document = { baseURI: "http://localhost:8765/" };
  [answers, states] = [[], []];
  live = new Live(
    "my manual",
    (answer, asked) => answers.push([asked.do, asked.prefix, answer.suffix]),
    (state, busy) => states.push(busy ? `${state}, busy` : state),
  );
  [socket] = Socket.all;
});
afterEach(() => {
  live.close();
  startClock();
});

const told = () => socket.sent.map((message) => [message.do, message.prefix]);

test("the session is a WebSocket of the project, with the key among its protocols", () => {
  assert.equal(socket.address, "ws://localhost:8765/api/v1/projects/my%20manual/live");
  assert.deepEqual(socket.protocols, ["dragoman"]);
  sessionStorage.setItem("dragoman:key", "secret");
  const other = new Live("manual", () => {}, () => {});
  assert.deepEqual(Socket.all[1].protocols, ["dragoman", "key.secret"]);
  other.close();
});

test("a segment asked for before the connection is there is opened with what was typed since", () => {
  live.open(1, 4, "", false);
  live.complete("Ab", false);
  assert.deepEqual(socket.sent, []);
  socket.opens();
  assert.deepEqual(socket.sent, [{ do: "open", document: 1, segment: 4, prefix: "Ab", words: false, number: 1 }]);
});

test("of the keys that come while an answer is awaited only the newest is sent", () => {
  socket.opens();
  live.open(1, 4, "", false);
  socket.answers();
  for (const prefix of ["A", "Ab", "Abr"]) live.complete(prefix, false);
  assert.deepEqual(told().slice(1), [["prefix", "A"]]);
  socket.answers({ suffix: "bra" });
  assert.deepEqual(told().slice(1), [["prefix", "A"], ["prefix", "Abr"]]);
  socket.answers({ suffix: "a" });
  assert.deepEqual(answers.slice(1), [["prefix", "A", "bra"], ["prefix", "Abr", "a"]]);
});

test("a segment that waits to be opened is not overtaken by a key typed in it", () => {
  socket.opens();
  live.open(1, 4, "", false);
  live.open(1, 5, "", false);
  live.complete("C", false);
  socket.answers();
  assert.deepEqual(socket.sent[1], { do: "open", document: 1, segment: 5, prefix: "C", words: false, number: 2 });
});

test("how sure words must be is asked for with the segment, each key and each other completion", () => {
  socket.opens();
  live.open(1, 4, "", false, 0.4);
  socket.answers();
  live.complete("Ab", false);
  socket.answers();
  live.reject(false);
  assert.deepEqual(socket.sent.map((message) => message.least_confidence), [0.4, 0.4, 0.4]);
});

test("asking for another completion does not repeat the text", () => {
  socket.opens();
  live.open(1, 4, "", false);
  socket.answers();
  live.reject(true);
  assert.deepEqual(socket.sent[1], { do: "reject", words: true, number: 2 });
});

test("an answer to an older message is ignored, and so is a stale one", () => {
  socket.opens();
  live.open(1, 4, "", false);
  socket.answers({ number: 99 });
  assert.deepEqual(answers, []);
  socket.answers({ stale: true });
  assert.deepEqual(answers, []);
  assert.equal(live.busy, false);
});

test("after the connection broke it is made again, and the segment opened again", () => {
  socket.opens();
  live.open(1, 4, "", false);
  socket.answers();
  live.complete("Ab", false);
  socket.close();
  assert.equal(states.at(-1), "away");
  wait(250);
  socket = Socket.all[1];
  socket.opens();
  assert.deepEqual(told(), [["open", "Ab"]]);
  assert.equal(states.at(-1), "online, busy");
});

test("attempts to connect become rarer, and begin anew after success", () => {
  socket.close();
  wait(250);
  Socket.all[1].close();
  wait(250);
  assert.equal(Socket.all.length, 2);
  wait(250);
  assert.equal(Socket.all.length, 3);
  Socket.all[2].opens();
  Socket.all[2].close();
  wait(250);
  assert.equal(Socket.all.length, 4);
});

test("a server that takes its time is slow, and one that never answers is given up", () => {
  socket.opens();
  live.open(1, 4, "", false);
  wait(1500);
  assert.equal(states.at(-1), "slow, busy");
  wait(12_000);
  assert.equal(states.at(-1), "away");
});

test("a session that was closed stays closed", () => {
  socket.opens();
  live.close();
  wait(10_000);
  assert.equal(Socket.all.length, 1);
});
