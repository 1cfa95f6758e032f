// Checkpoints: copies of the engine's linear memory between calls, which are the whole world. Pages of 4 KiB that did
// not change are shared with the checkpoint before. At most LIMIT bytes are kept, denser near now.

const PAGE = 4096;
const LIMIT = 128 << 20;
// Above this a copy costs more than it gives; going back then runs again from the start.
export const TOO_LARGE = 96 << 20;

export interface Checkpoint {
  event: bigint;
  // How many inputs of the log are in it.
  inputs: number;
  // The number of the last answer the page had been told.
  seq: number;
  pages: Uint8Array[];
  size: number;
}

export class Checkpoints {
  list: Checkpoint[] = [];
  // Milliseconds that the last copy took, to keep copying below a share of the run time.
  cost = 0;

  take(memory: WebAssembly.Memory, event: bigint, inputs: number, seq: number) {
    if (memory.buffer.byteLength > TOO_LARGE) return;
    const last = this.list.at(-1);
    if (last && last.event === event && last.inputs === inputs) return;
    const start = performance.now();
    const size = memory.buffer.byteLength;
    const words = new Int32Array(memory.buffer);
    const bytes = new Uint8Array(memory.buffer);
    const pages: Uint8Array[] = new Array(size / PAGE);
    for (let p = 0; p < pages.length; p++) {
      const old = last?.pages[p];
      pages[p] = old && same(words, p * (PAGE / 4), old) ? old : bytes.slice(p * PAGE, (p + 1) * PAGE);
    }
    this.list.push({ event, inputs, seq, pages, size });
    this.thin();
    this.cost = performance.now() - start;
  }

  restore(c: Checkpoint, memory: WebAssembly.Memory) {
    const missing = c.size - memory.buffer.byteLength;
    if (missing > 0) memory.grow(missing / 65536);
    const bytes = new Uint8Array(memory.buffer);
    c.pages.forEach((page, p) => bytes.set(page, p * PAGE));
  }

  // Forgets what lies after a point: the future that a fork leaves.
  cut(event: bigint, inputs: number) {
    this.list = this.list.filter((c) => c.event <= event && c.inputs <= inputs);
  }

  private held(): number {
    const seen = new Set<Uint8Array>();
    for (const c of this.list) for (const p of c.pages) seen.add(p);
    return seen.size * PAGE;
  }

  private thin() {
    while (this.list.length > 3 && this.held() > LIMIT) {
      const now = this.list.at(-1)!.event;
      let worst = 1;
      let least = Infinity;
      for (let i = 1; i < this.list.length - 2; i++) {
        const gap = Number(this.list[i + 1].event - this.list[i - 1].event);
        const age = Number(now - this.list[i].event) + 1;
        if (gap / age < least) {
          least = gap / age;
          worst = i;
        }
      }
      this.list.splice(worst, 1);
    }
  }
}

function same(words: Int32Array, at: number, page: Uint8Array): boolean {
  const old = new Int32Array(page.buffer, page.byteOffset, PAGE / 4);
  for (let i = 0; i < PAGE / 4; i++) if (words[at + i] !== old[i]) return false;
  return true;
}
