// The engine module seen from JavaScript: one instance, its one function, and the head of its answers
// (crates/protocol/src/host.rs has the table).

export const OP = { boot: 0, command: 1, run: 2, save: 3 } as const;
export const HEAD = 40;

interface Exports {
  memory: WebAssembly.Memory;
  alloc(len: number): number;
  free(ptr: number, len: number): void;
  call(ptr: number, len: number): bigint;
  panic_ptr(): number;
  panic_len(): number;
}

export interface Head {
  mode: "paused" | "going" | "fast";
  speed: number;
  dirty: boolean;
  event: bigint;
  now: bigint;
  next: bigint | undefined;
  revision: bigint;
}

// What the engine refuses by itself, in its words.
export class Refused extends Error {}

// A panic: the instance must not be used again.
export class Panicked extends Error {}

const NEVER = 0xffff_ffff_ffff_ffffn;

export class Engine {
  private x: Exports;
  head: Head = { mode: "paused", speed: 0, dirty: false, event: 0n, now: 0n, next: undefined, revision: 0n };

  constructor(module: WebAssembly.Module) {
    this.x = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
  }

  get memory(): WebAssembly.Memory {
    return this.x.memory;
  }

  // Sends a request; gives the whole answer in a buffer of its own.
  call(op: number, body: Uint8Array): Uint8Array {
    let answer: Uint8Array;
    try {
      const ptr = this.x.alloc(body.length + 1);
      const into = new Uint8Array(this.x.memory.buffer, ptr, body.length + 1);
      into[0] = op;
      into.set(body, 1);
      const packed = BigInt.asUintN(64, this.x.call(ptr, body.length + 1));
      const at = Number(packed >> 32n);
      const len = Number(packed & 0xffff_ffffn);
      answer = new Uint8Array(this.x.memory.buffer, at, len).slice();
      this.x.free(at, len);
      this.x.free(ptr, body.length + 1);
    } catch (e) {
      throw new Panicked(this.panic() || String(e));
    }
    if (answer[0] === 255) throw new Refused(new TextDecoder().decode(answer.subarray(1)));
    this.read(answer);
    return answer;
  }

  run(max: bigint, until: bigint, passStops: boolean, keepEvents: boolean): Uint8Array {
    const body = new Uint8Array(17);
    const view = new DataView(body.buffer);
    view.setBigUint64(0, max, true);
    view.setBigUint64(8, until, true);
    body[16] = (passStops ? 1 : 0) | (keepEvents ? 2 : 0);
    return this.call(OP.run, body);
  }

  read(answer: Uint8Array) {
    const view = new DataView(answer.buffer, answer.byteOffset, HEAD);
    const next = view.getBigUint64(24, true);
    this.head = {
      mode: answer[0] === 0 ? "paused" : answer[0] === 1 ? "going" : "fast",
      dirty: (answer[1] & 1) === 1,
      speed: view.getUint32(4, true),
      event: view.getBigUint64(8, true),
      now: view.getBigUint64(16, true),
      next: next === NEVER ? undefined : next,
      revision: view.getBigUint64(32, true),
    };
  }

  private panic(): string {
    try {
      const len = this.x.panic_len();
      return new TextDecoder().decode(new Uint8Array(this.x.memory.buffer, this.x.panic_ptr(), len).slice());
    } catch {
      return "";
    }
  }
}
