// The first script: gives the page's Rust code its hands (`globalThis.etcdscope`), then starts it.
//
// Terminal and editor are loaded when first needed, so that the frame stands before them. The worker is started at once:
// it loads the engine while the page's own module is still being fetched.

import type { Editor, EditorHooks } from "./editor";
import type { Term, TermHooks } from "./term";

type Href = HTMLLinkElement | null;
const link = (id: string, fallback: string): string =>
  (document.getElementById(id) as Href)?.href ?? new URL(fallback, document.baseURI).href;

let worker: Worker | undefined;
let onMessage: ((kind: string, bytes: Uint8Array, text: string) => void) | undefined;
const early: [string, Uint8Array, string][] = [];

function startWorker(): Worker {
  const w = new Worker(link("worker-js", "parts/worker.js"), { type: "module" });
  w.onmessage = (e: MessageEvent) => {
    const { kind, bytes, text } = e.data as { kind: string; bytes?: ArrayBuffer; text?: string };
    const args: [string, Uint8Array, string] = [kind, new Uint8Array(bytes ?? new ArrayBuffer(0)), text ?? ""];
    if (onMessage) onMessage(...args);
    else early.push(args);
  };
  w.onerror = (e) => onMessage?.("broken", new Uint8Array(), e.message ?? "worker");
  return w;
}

const terms = import("./term");
let editors: Promise<typeof import("./editor")> | undefined;

const api = {
  // The worker. `kind` says which of its operations; see worker.ts.
  listen(f: (kind: string, bytes: Uint8Array, text: string) => void) {
    onMessage = f;
    for (const args of early.splice(0)) f(...args);
  },
  post(kind: string, bytes: Uint8Array, number: number) {
    const copy = bytes.slice();
    worker!.postMessage({ kind, bytes: copy.buffer, number }, [copy.buffer]);
  },
  start(config: Uint8Array, version: number) {
    const copy = config.slice();
    worker!.postMessage({ kind: "boot", bytes: copy.buffer, number: version });
  },
  // Terminals.
  term(host: HTMLElement, hooks: TermHooks): Promise<Term> {
    return terms.then((m) => m.open(host, hooks));
  },
  // Editors.
  editor(host: HTMLElement, text: string, hooks: EditorHooks): Promise<Editor> {
    editors ??= import("./editor");
    return editors.then((m) => m.open(host, text, hooks));
  },
  // Files.
  download(name: string, bytes: Uint8Array) {
    const url = URL.createObjectURL(new Blob([bytes.slice()], { type: "application/octet-stream" }));
    const a = Object.assign(document.createElement("a"), { href: url, download: name });
    a.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  },
  pick(): Promise<Uint8Array | null> {
    return new Promise((resolve) => {
      const input = Object.assign(document.createElement("input"), { type: "file" });
      input.onchange = async () => {
        const file = input.files?.[0];
        resolve(file ? new Uint8Array(await file.arrayBuffer()) : null);
      };
      input.oncancel = () => resolve(null);
      input.click();
    });
  },
  copy(text: string): Promise<void> {
    return navigator.clipboard.writeText(text);
  },
  pref(key: string): string | null {
    try {
      return localStorage.getItem("etcdscope." + key);
    } catch {
      return null;
    }
  },
  setPref(key: string, value: string) {
    try {
      localStorage.setItem("etcdscope." + key, value);
    } catch {
      // Private windows may refuse; the choice then lasts as long as the page.
    }
  },
};

export type Api = typeof api;
(globalThis as unknown as { etcdscope: Api }).etcdscope = api;

worker = startWorker();
worker.postMessage({ kind: "engine", text: link("engine-wasm", "parts/engine.wasm") });

// Offline from the second visit on.
if (document.getElementById("page-js") && "serviceWorker" in navigator) {
  addEventListener("load", () => void navigator.serviceWorker.register("./sw.js").catch(() => undefined));
}

// Trunk starts the page's module itself; our own build leaves it to us.
const pageJs = document.getElementById("page-js") as Href;
if (pageJs) {
  const page = await import(pageJs.href);
  await page.default({ module_or_path: link("page-wasm", "page_bg.wasm") });
}
