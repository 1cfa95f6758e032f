// Speeds of the page in Chromium, as lines of `name<TAB>value<TAB>goal`: `cargo xtask bench`.

import { close, enter, launch, open, terminal } from "./browser.mjs";

const row = (name, value, goal) => console.log(`${name}\t${value}\t${goal}`);
await launch();

const start = Date.now();
const { page, context } = await open();
row("page usable after navigation, ms", Date.now() - start, 1500);
await terminal(page, 1, /\$/);
row("first prompt after navigation, ms", Date.now() - start, 1500);
await enter(page, 1, "until kubectl get --raw /readyz >/dev/null 2>&1; do sleep 0.01; done; echo up");
await terminal(page, 1, /up\n/).catch(() => {});
row("API server ready after navigation, ms", Date.now() - start, 1800);

// How long the page's own thread is held while many objects are made: frames that come late.
const load = "for i in $(seq 1 500); do echo '{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"c'$i'\"}}' | kubectl create -f - >/dev/null; done; echo loaded";
await page.evaluate(() => {
  window.late = 0;
  let last = performance.now();
  const tick = (now) => {
    window.late = Math.max(window.late, now - last);
    last = now;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
});
await enter(page, 1, load);
const t0 = Date.now();
await page.waitForTimeout(200);
await page.locator(".transport button").nth(2).click();
await page.locator(".transport button").nth(2).click();
await terminal(page, 1, /loaded\n/, 120_000).catch(() => {});
row("500 creates through kubectl in the terminal, ms", Date.now() - t0, "");
row("longest frame while they are made, ms", Math.round(await page.evaluate(() => window.late)), 50);
await context.close();
await close();
