// What survives a reload: the blob the engine saves (every member's disk, the shell's files, the configuration) and the
// inputs since then, in one IndexedDB transaction.

export interface Saved {
  blob: Uint8Array;
  revision: string;
  // How this run began and what was given to it since: with the seed, all that is needed to run it again.
  boot: Uint8Array;
  inputs: { event: string; bytes: Uint8Array }[];
}

// One tab at a time keeps the saved world; another one runs, but is not saved. A reload waits for the page before it.
export function hold(): Promise<boolean> {
  return new Promise((resolve) => {
    navigator.locks
      .request("etcdscope", { signal: AbortSignal.timeout(2000) }, () => {
        resolve(true);
        // Held for as long as this worker lives.
        return new Promise(() => {});
      })
      .catch(() => resolve(false));
  });
}

const NAME = "etcdscope";
const STORE = "world";

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function run<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  return open().then(
    (db) =>
      new Promise<T>((resolve, reject) => {
        const tx = db.transaction(STORE, mode, { durability: "relaxed" });
        const request = work(tx.objectStore(STORE));
        tx.oncomplete = () => {
          db.close();
          resolve(request.result);
        };
        tx.onerror = tx.onabort = () => {
          db.close();
          reject(tx.error);
        };
      }),
  );
}

export const load = (): Promise<Saved | undefined> => run("readonly", (s) => s.get("saved"));
export const save = (saved: Saved): Promise<unknown> => run("readwrite", (s) => s.put(saved, "saved"));
export const forget = (): Promise<unknown> => run("readwrite", (s) => s.delete("saved"));
// A world that could not be read is set aside, never thrown away.
export const setAside = (saved: Saved): Promise<unknown> => run("readwrite", (s) => s.put(saved, "damaged"));
