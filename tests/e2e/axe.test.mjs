// Every view, light and dark, desktop and phone: axe finds no violation, and nothing is asked of another host.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { violations } from "./axe.mjs";
import { close, open } from "./browser.mjs";

after(close);

for (const dark of [false, true]) {
  test(`desktop, ${dark ? "dark" : "light"}`, async () => {
    const { page, context, errors } = await open({ dark });
    const found = [];
    await page.waitForSelector(".kr, .tbl td");
    found.push(...(await violations(page)).map((v) => `${"first visit"}: ${v}`));
    await page.click("#primary");
    await page.waitForSelector(".st.cur");
    // On to the revision: the path of an etcd write.
    for (let i = 0; i < 40 && (await page.locator('.st.cur[data-station="mvcc"]').count()) === 0; i++) {
      const before = await page.getAttribute(".app", "data-event");
      await page.click("#primary");
      await page.waitForFunction((e) => document.querySelector(".app").dataset.event !== e, before);
      await page.waitForFunction(() => !document.querySelector("#primary").disabled);
    }
    await page.keyboard.press("f");
    found.push(...(await violations(page)).map((v) => `${"pipeline at a station"}: ${v}`));
    await page.locator(".lowerhead .seg button").nth(1).click();
    found.push(...(await violations(page)).map((v) => `${"bytes in the inspector"}: ${v}`));
    await page.locator(".views button").nth(1).click();
    await page.fill(".prefix", "/test/");
    await page.locator(".kr[role=row]").first().click();
    await page.waitForSelector(".hist");
    found.push(...(await violations(page)).map((v) => `${"keyspace"}: ${v}`));
    await page.locator(".views button").nth(2).click();
    found.push(...(await violations(page)).map((v) => `${"consensus"}: ${v}`));
    for (const i of [0, 1, 2]) {
      await page.locator(".rail button").nth(i).click();
      found.push(...(await violations(page)).map((v) => `${`panel ${i}`}: ${v}`));
    }
    await page.keyboard.press("?");
    found.push(...(await violations(page)).map((v) => `${"help"}: ${v}`));
    assert.deepEqual(found, []);
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test("phone", async () => {
  const { page, context, errors } = await open({ width: 390, height: 844 });
  const found = [];
  found.push(...(await violations(page)).map((v) => `${"first visit"}: ${v}`));
  for (const i of [1, 2, 3, 4]) {
    await page.locator(".tabs button").nth(i).click();
    found.push(...(await violations(page)).map((v) => `${`tab ${i}`}: ${v}`));
  }
  assert.deepEqual(found, []);
  // Nothing is wider than the screen.
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  assert.deepEqual(errors, []);
  await context.close();
});
