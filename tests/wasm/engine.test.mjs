// The engine module in Node: a run is a function of its inputs, a checkpoint of its memory continues bit for bit, and what
// a terminal shows is what the native program prints for the same seed.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const module = new WebAssembly.Module(await readFile(process.env.ENGINE_WASM));
const SEEDS = Number(process.env.SEEDS ?? 200);

const varint = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...varint(Math.floor(n / 128))]);
const text = (s) => {
  const bytes = new TextEncoder().encode(s);
  return [...varint(bytes.length), ...bytes];
};
// crates/protocol: Boot { Config { seed, members, nodes, controllers, kube, encryption, two flag strings }, saved }.
const boot = (seed) => [...varint(seed), 3, 1, 1, 0, 0, 0, 0, 0];
const TERM_OPEN = [0, 0, 1, 80, 24];
const line = (s) => [0, 2, 1, ...text(s)];
const FAST = [2, 2];
const NEVER = 0xffff_ffff_ffff_fffen;

class Engine {
  constructor() {
    this.x = new WebAssembly.Instance(module, {}).exports;
    this.told = [];
  }
  call(op, body) {
    const ptr = this.x.alloc(body.length + 1);
    new Uint8Array(this.x.memory.buffer).set([op, ...body], ptr);
    const packed = BigInt.asUintN(64, this.x.call(ptr, body.length + 1));
    const [at, len] = [Number(packed >> 32n), Number(packed & 0xffff_ffffn)];
    const answer = new Uint8Array(this.x.memory.buffer, at, len).slice();
    this.x.free(at, len);
    this.x.free(ptr, body.length + 1);
    assert.notEqual(answer[0], 255, new TextDecoder().decode(answer.subarray(1)));
    const view = new DataView(answer.buffer);
    this.event = view.getBigUint64(8, true);
    this.next = view.getBigUint64(24, true);
    this.told.push(answer);
    return answer;
  }
  run(max, passStops = true) {
    const body = new DataView(new ArrayBuffer(17));
    body.setBigUint64(0, max, true);
    body.setBigUint64(8, NEVER, true);
    body.setUint8(16, passStops ? 1 : 0);
    return this.call(2, new Uint8Array(body.buffer));
  }
  command(bytes) {
    return this.call(1, bytes);
  }
}

// What the terminal was sent: only Term, Prompt, Busy and Clear come while no window is open.
function terminal(answers) {
  let out = "";
  let prompts = 0;
  for (const answer of answers) {
    let at = 40;
    const number = () => {
      let [value, shift] = [0, 0];
      for (;;) {
        const byte = answer[at++];
        value += (byte & 127) * 2 ** shift;
        if (byte < 128) return value;
        shift += 7;
      }
    };
    const bytes = () => {
      const len = number();
      at += len;
      return new TextDecoder().decode(answer.subarray(at - len, at));
    };
    for (let left = number(); left > 0; left--) {
      const kind = number();
      number(); // the terminal
      if (kind === 0) out += bytes();
      else if (kind === 1) {
        bytes();
        at++;
        prompts++;
      } else if (kind === 2) bytes();
      else assert.equal(kind, 3, "an event that was not expected");
    }
  }
  return { out, prompts };
}

const SCRIPT = [
  "etcdctl put /test/piyo 1",
  "for i in 2 3 4; do etcdctl put /test/piyo $i --prev-kv; done",
  "etcdctl get /test --prefix -w json",
  "etcdctl get /test/piyo --rev 3 -w fields; etcdctl get /test/piyo --rev 99; echo $?",
  "etcdctl lease grant 60; etcdctl endpoint health",
];

function session(seed, commands = SCRIPT) {
  const e = new Engine();
  e.call(0, boot(seed));
  e.command(TERM_OPEN);
  e.command(FAST);
  let shown = settle(e, 1);
  for (const command of commands) {
    e.command(line(command));
    shown = settle(e, shown + 1);
  }
  return e;
}

// Runs until the terminal has shown so many prompts.
function settle(e, wanted) {
  for (let i = 0; i < 4000; i++) {
    const { prompts } = terminal(e.told);
    if (prompts >= wanted) return prompts;
    e.run(500n);
  }
  assert.fail(`no prompt after event ${e.event}: ${terminal(e.told).out.slice(-300)}`);
}

test("the same seed and inputs give the same answers, byte for byte", () => {
  const [a, b] = [session(7), session(7)];
  assert.equal(a.event, b.event);
  assert.equal(Buffer.compare(Buffer.concat(a.told), Buffer.concat(b.told)), 0);
});

test("a checkpoint continues bit for bit, in place and in a fresh instance", () => {
  const e = session(3, SCRIPT.slice(0, 2));
  const copy = new Uint8Array(e.x.memory.buffer).slice();
  const go = (engine) => {
    engine.told = [];
    engine.command(line("etcdctl put /a b; etcdctl get /test/piyo"));
    engine.run(5000n);
    return Buffer.concat(engine.told);
  };
  const first = go(e);
  const put = (engine) => {
    const missing = copy.length - engine.x.memory.buffer.byteLength;
    if (missing > 0) engine.x.memory.grow(missing / 65536);
    new Uint8Array(engine.x.memory.buffer).set(copy);
    return engine;
  };
  assert.equal(Buffer.compare(first, go(put(e))), 0, "in place");
  assert.equal(Buffer.compare(first, go(put(new Engine()))), 0, "in a fresh instance");
});

test(`what is shown is what the native program prints, for ${SEEDS} seeds`, () => {
  const native = process.env.ETCDSCOPE;
  assert.ok(native, "ETCDSCOPE names the native program");
  for (let seed = 1; seed <= SEEDS; seed++) {
    const expected = execFileSync(native, ["run", "--world", "etcd", "--seed", String(seed), "-"], { input: SCRIPT.join("\n") + "\n", encoding: "utf8" });
    const { out } = terminal(session(seed).told);
    assert.equal(out, expected, `seed ${seed}`);
  }
});
