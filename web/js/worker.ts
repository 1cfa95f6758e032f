// The worker: owns the engine's instance, makes time pass, keeps checkpoints and the log of inputs, catches panics, and
// saves. It understands nothing of the world; it knows the head of an answer and the first byte of a command.
//
// Messages from the page: engine (address), boot (config), command, back (event index), forward (return to now), reset,
// export, import. To the page: events (an answer), restored (an answer; the page subscribes again), saved, crash,
// refused, file, loading.

import * as disks from "./disks";
import { Engine, type Head, OP, Panicked, Refused } from "./engine";
import { Checkpoints } from "./memory";

interface LoggedInput {
  event: bigint;
  bytes: Uint8Array;
}

const MAX = 0xffff_ffff_ffff_fffen;
const SLICE = 8; // ms of running before the worker looks at its messages
const FRAME = 16; // ms between two answers to the page
const INPUT = 0; // the first byte of a command that changes the world
const PAUSE = new Uint8Array([2, 0]);

let module: Promise<WebAssembly.Module> | undefined;
let compiled: WebAssembly.Module | undefined;
let engine: Engine | undefined;
let bootBytes = new Uint8Array();
let log: LoggedInput[] = [];
let done = 0; // inputs of the log that have entered
let newest = 0n; // the furthest event that has happened
let points = new Checkpoints();
let chunk = 256n;
let base = { wall: 0, now: 0n };
let lastPost = 0;
let lastPoint = 0;
let lastSave = 0;
let worked = 0; // ms of running since the last checkpoint
let saving = false;
let mine = false; // this tab keeps the saved world
let unsaved = false;
let scheduled = false;
const channel = new MessageChannel();
channel.port1.onmessage = () => {
  scheduled = false;
  guarded(slice);
};

const post = (kind: string, bytes?: Uint8Array, text = "") => {
  if (bytes) (postMessage as (m: unknown, t: Transferable[]) => void)({ kind, bytes: bytes.buffer, text }, [bytes.buffer]);
  else postMessage({ kind, text });
};
// Answers are numbered, so that the page can show again what it showed at a checkpoint.
let seq = 0;
const tell = (answer: Uint8Array, kind = "events", number = ++seq) => {
  lastPost = performance.now();
  post(kind, answer, `${newest} ${number}`);
};

function schedule(delay = 0) {
  if (scheduled) return;
  scheduled = true;
  if (delay <= 0) channel.port2.postMessage(0);
  else
    setTimeout(() => {
      scheduled = false;
      guarded(slice);
    }, delay);
}

// Runs towards `until`, letting the logged inputs of a past that is run again enter where they did.
function advance(max: bigint, until: bigint, passStops: boolean, keep: boolean): Uint8Array {
  const e = engine!;
  const due = log[done];
  if (due) {
    if (due.event <= e.head.event) {
      done++;
      return e.call(OP.command, due.bytes);
    }
    const left = due.event - e.head.event;
    max = max < left ? max : left;
  } else if (e.head.event < newest) {
    const left = newest - e.head.event;
    max = max < left ? max : left;
  }
  const answer = e.run(max, until, passStops, keep);
  if (e.head.event > newest) newest = e.head.event;
  return answer;
}

function rebase() {
  base = { wall: performance.now(), now: engine!.head.now };
}

function target(h: Head): bigint {
  if (h.mode !== "going") return MAX;
  const ns = (performance.now() - base.wall) * 1000 * h.speed;
  const until = base.now + BigInt(Math.max(0, Math.round(ns)));
  return until;
}

function slice() {
  const e = engine;
  if (!e || e.head.mode === "paused") return;
  const start = performance.now();
  let answer: Uint8Array | undefined;
  for (;;) {
    const t0 = performance.now();
    const before = e.head.event;
    const last = performance.now() - start > SLICE / 2 || performance.now() - lastPost >= FRAME;
    answer = advance(chunk, target(e.head), false, !last);
    const took = performance.now() - t0;
    const ran = e.head.event - before;
    if (took > SLICE) chunk = chunk > 16n ? chunk / 2n : 16n;
    else if (took < SLICE / 4 && ran === chunk && chunk < 1_000_000n) chunk *= 2n;
    const idle = ran === 0n || e.head.next === undefined || e.head.next > target(e.head);
    if (last || idle || (e.head.mode as string) === "paused" || performance.now() - start > SLICE) {
      if (!last) answer = e.run(0n, 0n, false, false);
      break;
    }
  }
  const spent = performance.now() - start;
  worked += spent;
  // A world that cannot keep up does not run after the wall clock for ever.
  const h = e.head;
  if (h.mode === "going") {
    const lag = Number(target(h) - h.now) / 1e6 / (h.speed / 1000 || 1);
    const due = h.next !== undefined && h.next <= target(h);
    if (lag > 250 && due) rebase();
  }
  tell(answer!);
  checkpoint(false);
  save();
  if ((h.mode as string) === "paused") return;
  if (h.mode === "going") {
    const wait = h.next === undefined ? 50 : Number(h.next - target(h)) / 1e6 / (h.speed / 1000 || 1);
    schedule(Math.min(50, Math.max(wait, spent > SLICE / 2 ? 0 : 4)));
  } else if (h.next === undefined) {
    // Nothing will ever happen by itself: wait for an input.
    return;
  } else schedule();
}

function checkpoint(force: boolean) {
  const now = performance.now();
  // At most a twentieth of the run time goes into copying.
  if (!force && (worked < points.cost * 20 || now - lastPoint < 250)) return;
  if (engine!.head.event < newest) return;
  points.take(engine!.memory, engine!.head.event, done, seq);
  lastPoint = now;
  worked = 0;
}

function save(force = false) {
  const e = engine!;
  unsaved ||= e.head.dirty;
  if (!unsaved || saving || !mine || e.head.event < newest) return;
  const now = performance.now();
  if (!force && now - lastSave < 800) {
    setTimeout(() => guarded(() => save()), 900 - (now - lastSave));
    return;
  }
  lastSave = now;
  saving = true;
  unsaved = false;
  const revision = String(e.head.revision);
  const blob = e.call(OP.save, new Uint8Array()).slice(40);
  const inputs = log.slice(0, done).map((i) => ({ event: String(i.event), bytes: i.bytes }));
  disks.save({ blob, revision, boot: bootBytes, inputs }).then(
    () => {
      saving = false;
      post("saved", undefined, revision);
    },
    (why) => {
      saving = false;
      post("unsaved", undefined, String(why?.message ?? why));
    },
  );
}

// The boot message with the saved blob in it: postcard's `Some`, length, bytes in place of the last byte, `None`.
function bootWith(blob: Uint8Array): Uint8Array {
  const head: number[] = [1];
  let n = blob.length;
  do {
    head.push(n >= 128 ? (n & 127) | 128 : n);
    n = Math.floor(n / 128);
  } while (n > 0);
  const out = new Uint8Array(bootBytes.length - 1 + head.length + blob.length);
  out.set(bootBytes.subarray(0, bootBytes.length - 1));
  out.set(head, bootBytes.length - 1);
  out.set(blob, bootBytes.length - 1 + head.length);
  return out;
}

let bootedWith = new Uint8Array();

async function begin(boot: Uint8Array) {
  compiled = await module!;
  const fresh = new Engine(compiled);
  // Refused bytes leave the running world as it is.
  const answer = fresh.call(OP.boot, boot);
  engine = fresh;
  log = [];
  done = 0;
  points = new Checkpoints();
  bootedWith = boot;
  newest = engine.head.event;
  rebase();
  tell(answer, "began");
  checkpoint(true);
  schedule();
}

// Puts the world to an event and a number of inputs: forwards by running, backwards from the last checkpoint before, or
// from the start. What is told on the way is told again to the page, after `restored`.
function rewind(event: bigint, inputs: number, fresh: boolean) {
  const answers: Uint8Array[] = [];
  let base = seq;
  if (fresh || event < engine!.head.event) {
    points.cut(event, inputs);
    const point = points.list.at(-1);
    // After a trap the old instance's stack is not to be trusted.
    if (!point || fresh) engine = new Engine(compiled!);
    if (point) {
      points.restore(point, engine!.memory);
      done = point.inputs;
      base = point.seq;
      engine!.run(0n, 0n, true, true);
    } else {
      answers.push(engine!.call(OP.boot, bootedWith));
      done = 0;
      base = 0;
    }
  }
  while (engine!.head.event < event || (done < inputs && log[done] && log[done].event <= event)) {
    const at = engine!.head.event;
    const had = done;
    const left = event - at;
    if (left === 0n && !(log[done] && log[done].event <= at)) break;
    answers.push(advance(left, MAX, true, false));
    if (engine!.head.event === at && done === had) break;
  }
  answers.push(engine!.call(OP.command, PAUSE));
  const head = engine!.run(0n, 0n, true, false);
  rebase();
  tell(head, "restored", base);
  for (const answer of answers) tell(answer);
}

// The configuration begins with its seed, a varint.
function seed(): string {
  let value = 0n;
  for (let i = 0; i < 10 && i < bootBytes.length; i++) {
    value |= BigInt(bootBytes[i] & 127) << BigInt(7 * i);
    if (bootBytes[i] < 128) break;
  }
  return String(value);
}

// What of an input a person can read.
function readable(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(2, 2002));
  return text.replace(/[\x00-\x1f\ufffd]+/g, " ").trim();
}

function crashed(why: Panicked) {
  const inputs = done;
  const at = engine?.head.event ?? 0n;
  const last = log.slice(Math.max(0, inputs - 3), inputs).map((i) => readable(i.bytes));
  post("crash", undefined, `seed ${seed()}, event ${at}: ${why.message}; last inputs: ${last.join(" | ")}`);
  // Without the input that entered last, if there is one; else only back to the last checkpoint.
  const offending = Math.max(0, inputs - 1);
  const event = log[offending]?.event ?? points.list.at(-1)?.event ?? 0n;
  try {
    log.length = offending;
    done = Math.min(done, offending);
    points.cut(event, offending);
    rewind(event, offending, true);
    newest = engine!.head.event;
  } catch {
    void disks.load().then((saved) => begin(saved ? bootWith(saved.blob) : bootBytes));
  }
}

function guarded(work: () => void) {
  try {
    work();
  } catch (e) {
    if (e instanceof Panicked) crashed(e);
    else if (e instanceof Refused) post("refused", undefined, e.message);
    else throw e;
  }
}

function command(bytes: Uint8Array) {
  const e = engine;
  if (!e) return;
  if (bytes[0] === INPUT) {
    // An input given in the past begins another future.
    if (done < log.length || e.head.event < newest) {
      log.length = done;
      newest = e.head.event;
      points.cut(newest, done);
      post("forked", undefined, String(newest));
    }
    log.push({ event: e.head.event, bytes });
    done = log.length;
  }
  const was = e.head;
  const answer = e.call(OP.command, bytes);
  if (e.head.mode !== was.mode || e.head.speed !== was.speed) {
    rebase();
    tell(answer);
    // A step begins: what one will want to come back to.
    if (e.head.mode === "fast") checkpoint(true);
  } else tell(answer);
  schedule();
}

onmessage = async (m: MessageEvent) => {
  const { kind, bytes: buffer, number, text } = m.data as {
    kind: string;
    bytes?: ArrayBuffer;
    number?: number;
    text?: string;
  };
  const bytes = new Uint8Array(buffer ?? new ArrayBuffer(0));
  switch (kind) {
    case "engine":
      module = compile(text!);
      module.catch((e) => post("broken", undefined, String(e?.message ?? e)));
      break;
    case "boot": {
      bootBytes = bytes;
      [mine] = await Promise.all([disks.hold(), module]);
      if (!mine) post("elsewhere");
      const saved = mine ? await disks.load().catch(() => undefined) : undefined;
      if (saved) {
        try {
          await begin(bootWith(saved.blob));
          post("loaded", undefined, saved.revision);
          break;
        } catch (e) {
          await disks.setAside(saved).catch(() => undefined);
          post("damaged", undefined, e instanceof Error ? e.message : String(e));
        }
      }
      await begin(bootBytes).catch((e) => post("broken", undefined, String(e?.message ?? e)));
      break;
    }
    case "command":
      guarded(() => command(bytes));
      break;
    case "back":
      guarded(() => {
        if (!engine) return;
        const to = BigInt(Math.max(0, number!));
        rewind(to, Number.MAX_SAFE_INTEGER, false);
      });
      break;
    case "reset":
      bootBytes = bytes.length > 0 ? bytes : bootBytes;
      await disks.forget().catch(() => undefined);
      unsaved = false;
      await begin(bootBytes).catch((e) => post("refused", undefined, String(e?.message ?? e)));
      break;
    case "export":
      guarded(() => post("file", engine!.call(OP.save, new Uint8Array()).slice(40)));
      break;
    case "import":
      try {
        await begin(bootWith(bytes));
        unsaved = true;
        guarded(() => save(true));
      } catch (e) {
        post("refused", undefined, e instanceof Error ? e.message : String(e));
      }
      break;
  }
};

async function compile(url: string): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  if (response.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
