// The walk: run a script from the editor, step to each station and back, let it end, find the key and
// its history. Then the same by keyboard alone.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { close, enter, open, terminal } from "./browser.mjs";

after(close);

// The path of an etcd write, as far as its revision.
const PATH = ["propose", "append", "quorum", "commit", "apply", "mvcc"];

const current = (page) => page.evaluate(() => document.querySelector(".st.cur,.rd.cur")?.dataset.station ?? null);
const at = (page, station) =>
  page.waitForFunction((s) => document.querySelector(".st.cur,.rd.cur")?.dataset.station === s, station, { timeout: 20_000 });
const event = (page) => page.evaluate(() => Number(document.querySelector(".app").dataset.event));

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
  await at(page, PATH[0]);

  // To each station, and back.
  for (const station of PATH.slice(1)) await stepTo(page, station, () => page.click("#primary"));
  const there = await event(page);
  await page.click('.transport [data-do="first"]');
  await page.waitForFunction((e) => Number(document.querySelector(".app").dataset.event) < e, there);
  assert.match(await page.textContent('[data-cell="now"] .lab'), /Looking back/);
  await page.click("#primary"); // Return to now
  await at(page, "mvcc");
  assert.equal(await event(page), there);

  // Let it end: the command returns in the terminal.
  await page.keyboard.press("Escape");
  await page.locator('.transport [data-do="run"]').click();
  await terminal(page, 1, /OK/);

  // The key and its revisions.
  await enter(page, 2, "etcdctl put /test/piyo again");
  await terminal(page, 2, /OK/);
  await page.locator(".views button").nth(1).click();
  await page.fill(".prefix", "/test/");
  await page.locator(".kr[role=row]", { hasText: "/test/piyo" }).click();
  await page.waitForFunction(() => /again/.test(document.querySelector(".hist")?.textContent ?? ""));

  assert.deepEqual(errors, []);
  await context.close();
});

test("by keyboard", async () => {
  const { page, context, errors } = await open();
  await page.waitForFunction(() => document.querySelectorAll(".tbl tr").length > 3);
  await page.keyboard.press("Control+Enter");
  await at(page, PATH[0]);
  for (const station of PATH.slice(1)) await stepTo(page, station, () => page.keyboard.press("ArrowRight"));
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() => /Looking back/.test(document.querySelector('[data-cell="now"] .lab')?.textContent ?? ""));
  await page.keyboard.press("End");
  await at(page, "mvcc");

  // The bytes with the byte cursor: a grid is one tab stop, arrows move in it.
  await page.locator(".station .hexbox").last().focus();
  for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowRight");
  assert.ok(await page.evaluate(() => document.activeElement.getAttribute("aria-activedescendant")));

  await page.keyboard.press("Escape");
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
