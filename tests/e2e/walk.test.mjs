// The walk: apply from the editor, step to each station and back, hover a field and see its bytes, turn encryption on and
// see the field in the ciphertext, reload and find everything there. Then the same by keyboard alone.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, enter, open, terminal } from "./browser.mjs";

after(close);

// DESIGN.md's path as far as a create goes before its answer.
const PATH = ["kubectl", "http", "authn", "authz", "decode", "default", "mutate", "strategy", "validate", "admit", "storage", "convert", "codec", "transformer", "client-txn", "propose"];

const current = (page) => page.evaluate(() => document.querySelector(".st.cur,.rd.cur")?.dataset.station ?? null);
const at = (page, station) =>
  page.waitForFunction((s) => document.querySelector(".st.cur,.rd.cur")?.dataset.station === s, station, { timeout: 20_000 });
const event = (page) => page.evaluate(() => Number(document.querySelector(".app").dataset.event));

// The bytes of the hot cells of one grid, as text.
const hot = (page, label) =>
  page.evaluate((label) => {
    const grid = [...document.querySelectorAll(".hexbox")].find((g) => g.getAttribute("aria-label").includes(label));
    return [...(grid?.querySelectorAll(".b.hot:not(.t)") ?? [])].map((c) => String.fromCharCode(parseInt(c.textContent, 16))).join("");
  }, label);

async function stepTo(page, station, press) {
  for (let i = 0; i < 60 && (await current(page)) !== station; i++) {
    const before = await event(page);
    await press();
    await page.waitForFunction((e) => Number(document.querySelector(".app").dataset.event) !== e, before, { timeout: 20_000 });
    await page.waitForFunction(() => !document.querySelector("#primary").disabled, undefined, { timeout: 20_000 });
  }
  assert.equal(await current(page), station);
}

test("by mouse", async () => {
  const { page, context, errors } = await open();
  await page.waitForFunction(() => document.querySelectorAll(".tbl tr").length > 3);
  await page.click("#primary");
  await at(page, "kubectl");

  // To each station and, from the middle, back to each.
  for (const station of PATH.slice(1, 14)) await stepTo(page, station, () => page.click("#primary"));
  for (const station of PATH.slice(8, 13).reverse()) {
    await page.click('.transport [data-do="first"]');
    await at(page, station);
  }
  assert.match(await page.textContent('[data-cell="now"] .lab'), /Looking back/);
  await page.click("#primary"); // Return to now
  await at(page, "transformer");

  // A field that is pointed at has its bytes marked, and only those.
  await stepTo(page, "transformer", () => page.click("#primary"));
  await page.locator(".rows .st[data-station=codec]").click();
  await page.waitForSelector(".hexbox");
  await page.locator('.cm-content [data-h]', { hasText: "agnhost" }).first().hover();
  await page.waitForFunction(() => document.querySelector(".foot .mono")?.textContent === "spec.containers[0].image");
  await page.locator('.cm-content [data-h]', { hasText: "agnhost" }).first().click();
  await page.waitForFunction(() => document.querySelector(".hexbox .b.hot"));
  assert.equal(await hot(page, "After"), "registry.k8s.io/e2e-test-images/agnhost:2.39");
  await page.keyboard.press("Escape");

  // Let it end: the command returns in the terminal.
  await page.keyboard.press("Escape");
  await page.locator('.transport [data-do="run"]').click();
  await terminal(page, 1, /pod\/dnsutils created/);

  // Encryption on; the next write is ciphertext, and the field is found in it.
  await page.locator(".rail button").nth(1).click();
  await page.click('[data-do="encrypt"]');
  await page.waitForFunction(() => /aescbc/.test(document.querySelector(".side .facts")?.textContent ?? ""), undefined, { timeout: 30_000 });
  await enter(page, 2, "kubectl label pod dnsutils tier=debug");
  await terminal(page, 2, /pod\/dnsutils labeled/);
  await page.locator(".side .ph button").click();
  await page.locator(".views button").nth(1).click();
  await page.fill(".prefix", "/registry/pods/");
  await page.locator(".kr[role=row]", { hasText: "dnsutils" }).click();
  await page.waitForFunction(() => /k8s:enc:aescbc:v1:key1:/.test(document.querySelector(".hist")?.textContent ?? ""));
  await page.locator(".lowerhead .seg button").nth(1).click();
  await page.getByRole("button", { name: "Stored", exact: true }).click();
  await page.locator('.yl [data-f="spec.containers[0].image"]').click();
  await page.waitForFunction(() => document.querySelector(".lower .hexbox .b.hot"));
  // Whole AES blocks: 44 bytes and their two tag bytes lie in three or four blocks.
  const blocks = (await page.locator(".lower .hexbox .b.hot").count()) / 16;
  assert.ok(blocks >= 3 && blocks <= 4 && Number.isInteger(blocks), `${blocks} blocks`);
  assert.match(await page.textContent('[data-cell="field"]'), /blocks \d+–\d+/);

  // A reload is a restart of every process: keys, revisions and files are still there.
  const rows = await page.locator(".kr[role=row]", { hasText: "dnsutils" }).textContent();
  await page.waitForFunction(() => /saved to revision/.test(document.querySelector(".saved")?.textContent ?? ""));
  await page.waitForTimeout(1500);
  await page.reload();
  await page.waitForSelector('.app[data-ready="true"]');
  await page.locator(".views button").nth(1).click();
  await page.fill(".prefix", "/registry/pods/");
  await page.waitForFunction((text) => [...document.querySelectorAll(".kr")].some((r) => r.textContent.includes("dnsutils")), rows, { timeout: 30_000 });
  await enter(page, 1, "kubectl get pod dnsutils --show-labels");
  await terminal(page, 1, /tier=debug/);
  assert.deepEqual(errors, []);
  await context.close();
});

test("by keyboard", async () => {
  const { page, context, errors } = await open();
  await page.waitForFunction(() => document.querySelectorAll(".tbl tr").length > 3);
  await page.keyboard.press("Control+Enter");
  await at(page, "kubectl");
  for (const station of PATH.slice(1, 14)) await stepTo(page, station, () => page.keyboard.press("ArrowRight"));
  await page.keyboard.press("ArrowLeft");
  await at(page, "codec");
  await page.keyboard.press("End");
  await at(page, "transformer");
  await page.keyboard.press("ArrowLeft");
  await at(page, "codec");

  // F to the image; the footer says which field, the bytes light up.
  for (let i = 0; i < 20; i++) {
    await page.keyboard.press("f");
    await page.waitForTimeout(50);
    if ((await page.textContent(".foot .mono")) === "spec.containers[0].image") break;
  }
  assert.equal(await page.textContent(".foot .mono"), "spec.containers[0].image");
  assert.equal(await hot(page, "After"), "registry.k8s.io/e2e-test-images/agnhost:2.39");

  // The same bytes with the byte cursor: a grid is one tab stop, arrows move in it, Enter pins.
  await page.keyboard.press("Escape");
  await page.locator(".station .hexbox").last().focus();
  await page.keyboard.press("ArrowRight");
  for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowRight");
  assert.ok(await page.evaluate(() => document.activeElement.getAttribute("aria-activedescendant")));

  // F6 goes round the regions and comes back.
  const regions = new Set();
  await page.keyboard.press("Escape");
  for (let i = 0; i < 8; i++) {
    await page.keyboard.press("F6");
    regions.add(await page.evaluate(() => document.activeElement.closest("[id^=region-]")?.id));
  }
  assert.deepEqual([...regions].sort(), ["region-inspector", "region-now", "region-rail", "region-stage", "region-terminals", "region-trace"]);
  await page.locator(".transport button").first().focus();
  await page.keyboard.press("End");
  await page.keyboard.press("?");
  await page.waitForSelector(".keys");
  assert.deepEqual(errors, []);
  await context.close();
});

test("without a network, from the second visit on", async () => {
  const { page, context } = await open();
  await page.evaluate(() => navigator.serviceWorker.ready);
  await context.setOffline(true);
  await page.reload();
  await page.waitForSelector('.app[data-ready="true"]');
  await terminal(page, 1, /\$/);
  await context.close();
});

test("below a sub-path", async () => {
  const { page, context } = await open({ path: "sub/path/" });
  await page.waitForFunction(() => document.querySelector('[data-term="1"]')?.terminalText?.().includes("$"));
  assert.equal(await page.locator(".notice").count(), 0);
  await context.close();
});
