// Offline: the files of this build are kept when they were loaded once. Their names carry a hash of their content, so a
// kept file is never stale; only index.html is asked for anew while there is a network.

declare const self: ServiceWorkerGlobalScope;
export {};

// Filled in by `cargo xtask build`: the files of dist/.
const FILES: string[] = ["__FILES__"];
const CACHE = "etcdscope";

self.addEventListener("install", (e) => {
  e.waitUntil(
    (async () => {
      const cache = await caches.open(CACHE);
      const have = new Set((await cache.keys()).map((r) => r.url));
      const wanted = FILES.map((f) => new URL(f, self.registration.scope).href);
      await Promise.all(wanted.filter((url) => !have.has(url)).map((url) => cache.add(url)));
      await self.skipWaiting();
    })(),
  );
});

self.addEventListener("activate", (e) => {
  e.waitUntil(
    (async () => {
      const cache = await caches.open(CACHE);
      const wanted = new Set(FILES.map((f) => new URL(f, self.registration.scope).href));
      for (const request of await cache.keys()) if (!wanted.has(request.url)) await cache.delete(request);
      await self.clients.claim();
    })(),
  );
});

self.addEventListener("fetch", (e) => {
  const url = new URL(e.request.url);
  if (e.request.method !== "GET" || url.origin !== self.location.origin) return;
  e.respondWith(
    (async () => {
      const cache = await caches.open(CACHE);
      if (e.request.mode === "navigate") {
        try {
          return await fetch(e.request);
        } catch {
          return (await cache.match(new URL("./", self.registration.scope).href)) ?? Response.error();
        }
      }
      return (await cache.match(e.request, { ignoreVary: true })) ?? fetch(e.request);
    })(),
  );
});
